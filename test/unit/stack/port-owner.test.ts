import net from 'node:net';
import { expect, it } from 'vitest';
import { findFreePorts, isFree, listenerInodes, portOwner, requireFreePort } from '#infra/stack/port-owner.ts';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:3C48 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 24242 1 0000000000000000 100 0 0 10 0
   1: 0100007F:3C48 0100007F:D431 01 00000000:00000000 02:000006F6 00000000   101        0 31313 2 0000000000000000 20 4 30 10 -1
   2: 0100007F:D431 0100007F:3C48 01 00000000:00000000 02:000006F6 00000000     0        0 31314 2 0000000000000000 20 4 30 10 -1
`;

it('only the listener of a port owns it, not the connections through it', () => {
  expect(listenerInodes(table, 15432)).toEqual(['24242']);
});

it('a port that is only the far end of a connection has no listener', () => {
  expect(listenerInodes(table, 0xd431)).toEqual([]);
});

it('a port in use is named with the process that holds it and with the setting that changes it', async () => {
  const server = net.createServer();
  await new Promise<void>((resolve) => { server.listen({ port: 0, host: '127.0.0.1' }, resolve); });
  const { port } = server.address() as net.AddressInfo;
  try {
    expect(portOwner(port)?.pid).toBe(process.pid);
    await expect(requireFreePort('NATS', port, 'MUSTER_NATS_PORT')).rejects.toMatchObject({
      message: expect.stringContaining(`NATS: port ${port} is in use by process ${process.pid}`) as string,
      remedy: expect.stringContaining('MUSTER_NATS_PORT') as string,
    });
  } finally {
    server.close();
  }
});

it('free ports differ and are free', async () => {
  const ports = await findFreePorts(4);
  expect(new Set(ports).size).toBe(4);
  expect(await Promise.all(ports.map(isFree))).toEqual([true, true, true, true]);
});
