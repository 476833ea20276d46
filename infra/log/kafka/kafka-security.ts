/** How connections to Kafka are encrypted and authenticated. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { SASLOptions } from 'kafkajs';
import { SettingError } from '../../config/declare.ts';
import type { Settings } from '../../config/settings.ts';

export type KafkaSecuritySettings = Pick<Settings, 'kafkaTls' | 'kafkaSasl' | 'kafkaUsername' | 'kafkaPassword'>;

/** Options of kafkajs; an absent one is not used. */
export interface KafkaSecurity {
  readonly ssl?: ConnectionOptions;
  readonly sasl?: SASLOptions;
}

/** Reads the certificate that the settings name. Throws a `SettingError` if that fails or the settings do not fit. */
export function kafkaSecurity(settings: KafkaSecuritySettings): KafkaSecurity {
  const { kafkaTls } = settings;
  const sasl = saslOf(settings);
  return {
    ...(kafkaTls === 'off' ? {} : { ssl: kafkaTls === 'on' ? {} : { ca: readCertificate(kafkaTls) } }),
    ...(sasl ? { sasl } : {}),
  };
}

function saslOf({ kafkaSasl, kafkaUsername, kafkaPassword }: KafkaSecuritySettings): SASLOptions | null {
  const mechanism = kafkaSasl;
  if (mechanism === 'none' && kafkaUsername === null && kafkaPassword === null) return null;
  if (mechanism === 'none' || kafkaUsername === null || kafkaPassword === null)
    throw new SettingError(
      `PARALLAX_KAFKA_SASL ${mechanism} does not fit PARALLAX_KAFKA_USERNAME and PARALLAX_KAFKA_PASSWORD; accepted: none without them, or a mechanism with both`,
    );
  return { mechanism, username: kafkaUsername, password: kafkaPassword } as SASLOptions;
}

function readCertificate(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    // TLS would ignore a file without a certificate, and then refuse every broker.
    new X509Certificate(text);
    return text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SettingError(
      `PARALLAX_KAFKA_TLS: ${path} holds no readable certificate (${code ?? message}); accepted: off, on, or the path of a file with the certificate of the authority (PEM)`,
    );
  }
}
