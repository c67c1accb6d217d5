/** Logs as plain text: whole lines, each with its rank in front, at the client's own pace. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { LogLine } from './assembly.ts';

/** A line longer than this is sent in pieces. */
const lineCharsMax = 65_536;

export function sendText(reply: FastifyReply, lines: AsyncGenerator<LogLine | undefined>): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(Readable.from(toText(lines, () => reply.raw.destroyed)));
}

/** @param isGone  whether the client went away: nobody else would end a reading that waits */
async function* toText(lines: AsyncGenerator<LogLine | undefined>, isGone: () => boolean): AsyncGenerator<string> {
  const open = new Map<string, string>();
  for await (const line of lines) {
    if (isGone()) return;
    if (!line) continue;
    if (line.kind === 'notice') {
      yield `[${line.rank}] [${line.text}]\n`;
      continue;
    }
    const key = `${line.epoch} ${line.rank} ${line.stream}`;
    const parts = `${open.get(key) ?? ''}${line.text}`.split('\n');
    const rest = parts.pop() ?? '';
    open.set(key, rest.length > lineCharsMax ? '' : rest);
    if (rest.length > lineCharsMax) parts.push(rest);
    if (parts.length > 0) yield parts.map((part) => `[${line.rank}] ${part}\n`).join('');
  }
  for (const [key, rest] of open) if (rest !== '') yield `[${key.split(' ')[1]}] ${rest}\n`;
}
