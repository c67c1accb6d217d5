import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Channel, frames } from './channel.ts';
import { exits, Exit } from './exits.ts';
import { Gang } from './gang.ts';
import type { Options } from './options.ts';

const helloTimeoutMs = 5_000;
const retryMs = 100;

interface Hello {
  run: string;
  rank: number;
  worldSize: number;
}

/**
 * Meets the other ranks at MASTER_ADDR:MASTER_PORT: rank 0 listens, the others dial until it is there.
 * Ranks of another job or epoch are turned away, and dial on until their own time is over.
 *
 * @throws Exit 69, when the gang isn't complete within `connectTimeoutMs`
 */
export async function meet(options: Options): Promise<Gang> {
  const { rank, worldSize, peerTimeoutMs } = options;
  if (worldSize === 1) return new Gang(0, 1, [], peerTimeoutMs);
  const giveUpAtMs = performance.now() + options.connectTimeoutMs;
  const channels = rank === 0 ? await acceptPeers(options, giveUpAtMs) : [await dial(options, giveUpAtMs)];
  return new Gang(rank, worldSize, channels, peerTimeoutMs);
}

async function acceptPeers(options: Options, giveUpAtMs: number): Promise<Channel[]> {
  const peers = new Map<number, Channel>();
  const complete = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    void admit(socket, options, peers).then(() => {
      if (peers.size === options.worldSize - 1) complete.resolve();
    });
  });
  await listen(server, options, giveUpAtMs);
  const timer = setTimeout(() => {
    complete.reject(new Exit(exits.peerLost, `only ${String(peers.size + 1)} of ${String(options.worldSize)} ranks came`));
  }, giveUpAtMs - performance.now());
  try {
    await complete.promise;
  } finally {
    clearTimeout(timer);
    server.close();
  }
  const inOrder = [...peers].sort(([left], [right]) => left - right).map(([, channel]) => channel);
  for (const channel of inOrder) channel.send(frames.welcome, 0, new Uint8Array(0));
  return inOrder;
}

async function admit(socket: Socket, options: Options, peers: Map<number, Channel>): Promise<void> {
  const channel = new Channel(socket);
  try {
    const hello = JSON.parse(Buffer.from(await channel.receive(frames.hello, 0, helloTimeoutMs)).toString()) as Partial<Hello>;
    if (!isPeer(hello, options)) return channel.destroy();
    peers.get(hello.rank)?.destroy(); // the same rank dials again only after it gave its former connection up
    peers.set(hello.rank, channel);
  } catch {
    channel.destroy();
  }
}

function isPeer(hello: Partial<Hello>, { run, worldSize }: Options): hello is Hello {
  const { rank } = hello;
  return hello.run === run && hello.worldSize === worldSize && Number.isInteger(rank) && Number(rank) >= 1 && Number(rank) < worldSize;
}

/** Listens at the master's address; an address that is not this machine's own (translated) means all addresses. */
async function listen(server: Server, { masterAddress, masterPort }: Options, giveUpAtMs: number): Promise<void> {
  let host: string | undefined = masterAddress;
  for (;;) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once('error', resolve);
      server.listen({ port: masterPort, ...(host === undefined ? {} : { host }) }, () => resolve(undefined));
    });
    if (!error) return;
    if (error.code === 'EADDRNOTAVAIL' && host !== undefined) host = undefined;
    else if (performance.now() > giveUpAtMs) throw new Exit(exits.peerLost, `cannot listen on port ${String(masterPort)}: ${error.message}`);
    else await sleep(retryMs); // the former epoch's rank 0 may still hold the port
  }
}

async function dial(options: Options, giveUpAtMs: number): Promise<Channel> {
  const hello: Hello = { run: options.run, rank: options.rank, worldSize: options.worldSize };
  for (;;) {
    const socket = await openSocket(options);
    if (socket) {
      const channel = new Channel(socket);
      channel.send(frames.hello, 0, Buffer.from(JSON.stringify(hello)));
      const welcome = await channel.receive(frames.welcome, 0, Math.max(1, giveUpAtMs - performance.now())).catch(() => undefined);
      if (welcome) return channel;
      channel.destroy();
    }
    if (performance.now() > giveUpAtMs) throw new Exit(exits.peerLost, `rank 0 was not there within ${String(options.connectTimeoutMs)} ms`);
    await sleep(retryMs);
  }
}

function openSocket({ masterAddress, masterPort }: Options): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host: masterAddress, port: masterPort });
    socket.setTimeout(helloTimeoutMs, () => socket.destroy());
    socket.once('connect', () => resolve(socket.setTimeout(0)));
    socket.once('error', () => undefined);
    socket.once('close', () => resolve(undefined));
  });
}
