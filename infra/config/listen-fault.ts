import { SettingError } from './declare.ts';

/** What the system says of an address that is none of this machine, or of a name that has none. */
const HOST_CODES = new Set(['EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN', 'ENODATA']);
const PORT_CODES = new Set(['EADDRINUSE', 'EACCES']);

/** Why REST cannot listen, as the setting that is at fault; null for a fault that no setting mends. */
export function listenFault(
  { code }: NodeJS.ErrnoException,
  { host, httpPort }: { readonly host: string; readonly httpPort: number },
): SettingError | null {
  if (code !== undefined && HOST_CODES.has(code))
    return new SettingError(
      `--host ${host} cannot be listened on (${code}); accepted: an address or host name of this machine`,
    );
  if (code !== undefined && PORT_CODES.has(code))
    return new SettingError(
      `--http-port ${httpPort} on ${host} cannot be listened on (${code}); accepted: a free port, or 0`,
    );
  return null;
}
