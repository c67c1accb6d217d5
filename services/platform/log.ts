/** Logs: JSON lines on stderr with the role and ids. Secrets are redacted by key, whoever passes them. */
import { pino, type Logger } from 'pino';

export type Log = Logger;

const redact = ['password', 'secret', 'token', 'authorization', 'apiKey', 'seed', '*.password', '*.secret', '*.token', '*.authorization', '*.apiKey', '*.seed'];

export function openLog(role: string, level = 'info'): Log {
  return pino({ level, base: { role, pid: process.pid }, redact, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: false }));
}
