import { SettingError } from './declare.ts';

/** Error codes for an address that does not belong to this machine, or a host name without an address. */
const HOST_CODES = new Set(['EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN', 'ENODATA']);
const PORT_CODES = new Set(['EADDRINUSE', 'EACCES']);

/** Converts a listen error to an error of the setting that caused it; null if no setting can correct it. */
export function listenFault(
  { code }: NodeJS.ErrnoException,
  { host, httpPort }: { readonly host: string; readonly httpPort: number },
): SettingError | null {
  if (code !== undefined && HOST_CODES.has(code))
    return new SettingError(
      `cannot listen on --host ${host} (${code}); accepted: an address or host name of this machine`,
    );
  if (code !== undefined && PORT_CODES.has(code))
    return new SettingError(
      `cannot listen on --http-port ${httpPort} of ${host} (${code}); accepted: a free port, or 0`,
    );
  return null;
}
