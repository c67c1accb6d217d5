/** NATS' auth callout: the one exchange on NATS whose payload is no JSON but a signed token, in and out. */
import type { Log } from '../log.ts';
import { connectionOf, type Bus, type Subscription } from './bus.ts';
import { messageOf } from './connection.ts';
import { Requests } from './requests.ts';

const subject = '$SYS.REQ.USER.AUTH';
/** A login request is about 2 KiB; what is larger is none. */
const requestBytesMax = 65_536;

/**
 * Decides logins; processes that do so share them.
 *
 * @param decide  from the request's JWT to the response's JWT; what it throws is logged and the login fails
 */
export function respondToLogins(bus: Bus, log: Log, decide: (requestJwt: string) => Promise<string>, options: { readonly inFlightMax: number }): Subscription {
  const requests = new Requests<{ jwt: string; respond: (jwt: string) => void }>(options, async ({ jwt, respond }) => {
    try {
      respond(await decide(jwt));
    } catch (error) {
      log.error({ error: messageOf(error) }, 'login not decided');
    }
  });
  const subscription = connectionOf(bus).subscribe(subject, {
    queue: 'muster',
    callback: (error, message) => {
      if (error || message.data.length > requestBytesMax) return;
      requests.take({ jwt: message.string(), respond: (jwt) => void message.respond(new TextEncoder().encode(jwt)) });
    },
  });
  return { close: async () => { subscription.unsubscribe(); await requests.idle(); } };
}
