import { integerSetting, readSettings, SettingError, urlSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { SETTINGS } from '../../../config/settings.ts';
import type { Command } from '../command.ts';
import { OwnWebhook } from '../receive/own-webhook.ts';
import { startReceiver } from '../receive/receiver.ts';
import { untilUnreachable } from '../receive/watch-service.ts';

const RECEIVER_SETTINGS = {
  rest: urlSetting({
    flag: 'rest',
    variable: 'PARALLAX_RECEIVER_REST',
    fallback: `http://127.0.0.1:${SETTINGS.httpPort.fallback}`,
    schemes: ['http', 'https'],
    description: 'REST URL of the service.',
  }),
  token: { ...SETTINGS.adminToken, description: 'A key with the scope admin.' },
  port: integerSetting({
    flag: 'port',
    variable: 'PARALLAX_RECEIVER_PORT',
    fallback: 9_000,
    min: 1,
    max: 65_535,
    description: 'Port on 127.0.0.1 that receives the deliveries.',
  }),
};

/**
 * Creates a webhook for itself, prints a line about each delivery whose signature it verified, and deletes the webhook
 * at the end. The service must run on the same machine with `PARALLAX_WEBHOOK_ALLOW_LOOPBACK=1`. When the service is
 * out of reach for a minute, the command fails: a container that shares the network of one that started anew has no
 * network until it starts anew, too.
 */
export const receiveWebhooks: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`parallax receive-webhooks [settings]\n\n${settingsHelp(RECEIVER_SETTINGS)}`);
      return 0;
    }
    const { rest, token, port } = readSettings(RECEIVER_SETTINGS, argv, process.env).values;
    if (!token)
      throw new SettingError(`${SETTINGS.adminToken.variable} is missing; accepted: a key with the scope admin`);
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
    let secret: string | null = null;
    const onDelivery = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
    const receiver = await startReceiver({ port, secret: () => secret, onDelivery });
    const webhook = new OwnWebhook(rest!, token, receiver.url);
    try {
      secret = await webhook.create();
      console.log(`receiving webhooks at ${receiver.url}`);
      await untilUnreachable(rest!, stop.signal);
      if (!stop.signal.aborted) {
        console.error(`parallax receive-webhooks: ${rest} does not answer any more`);
        return 1;
      }
      await webhook.remove();
    } finally {
      await receiver.close();
    }
    return 0;
  },
};
