import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

const attemptsMax = 200;

/**
 * A port that nothing listens on now, for rank 0. It may be taken before the program listens; then the program fails
 * and the gang starts anew with another.
 *
 * @param taken  ports promised to members that may not have opened them yet
 */
export async function chooseFreePort(range: { readonly portMin: number; readonly portMax: number }, taken: ReadonlySet<number>): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const port = randomInt(range.portMin, range.portMax + 1);
    if (!taken.has(port) && await isFree(port)) return port;
  }
  throw new Error(`no free port from ${range.portMin} to ${range.portMax} in ${attemptsMax} tries`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
