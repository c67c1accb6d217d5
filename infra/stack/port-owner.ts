import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import net from 'node:net';
import { StackError } from './error.ts';
import { allPids, commandLine } from './process-identity.ts';

/** enough to recognise a program; some command lines are pages long */
const shownCommandChars = 160;

export interface PortOwner { readonly pid: number; readonly command: string }

const listening = '0A';

/** Inodes of the sockets that listen on a TCP port, from the text of /proc/net/tcp or tcp6. */
export function listenerInodes(table: string, port: number): string[] {
  return table.split('\n').slice(1).flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    const isOurs = state === listening && Number.parseInt(local?.split(':')[1] ?? '', 16) === port;
    return isOurs && inode ? [inode] : [];
  });
}

/** The process that listens on a TCP port; undefined when there is none, or when it belongs to a user whose files we may not read. */
export function portOwner(port: number): PortOwner | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listenerInodes(readText(file), port)));
  if (inodes.size === 0) return undefined;
  const pid = allPids().find((candidate) => socketsOf(candidate).some((inode) => inodes.has(inode)));
  return pid === undefined ? undefined : { pid, command: (commandLine(pid) ?? 'unknown').slice(0, shownCommandChars) };
}

/**
 * @param setting  the variable that chooses another port
 * @throws StackError that names the owner
 */
export async function requireFreePort(what: string, port: number, setting: string): Promise<void> {
  if (await isFree(port)) return;
  const owner = portOwner(port);
  const by = owner ? `process ${owner.pid}: ${owner.command}` : 'a process of another user';
  throw new StackError(`${what}: port ${port} is in use by ${by}`, `End that process, or choose another port with ${setting}.`);
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Ports that were free a moment ago; all are held at once, so that they differ. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => new Promise<net.Server>((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => resolve(server));
  })));
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function socketsOf(pid: number): string[] {
  const dir = `/proc/${pid}/fd`;
  try {
    return readdirSync(dir).flatMap((fd) => {
      const inode = /^socket:\[(\d+)\]$/.exec(readLink(`${dir}/${fd}`))?.[1];
      return inode ? [inode] : [];
    });
  } catch {
    return [];
  }
}

function readLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
