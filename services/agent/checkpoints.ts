/** Shards on disk: what may be reported, and what a restart may read (design.md §3.5). */
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isShardPath, shardsPerRankMax } from '#services/checkpoints/model.ts';
import type { ResumePoint, ShardFact } from '#services/fleet/model.ts';

const readBytes = 1024 * 1024;

/** Why a file can't be a shard. `index` is its place in the list. */
export class ShardRefused extends Error {
  readonly index: number;
  constructor(index: number, detail: string) {
    super(detail);
    this.name = 'ShardRefused';
    this.index = index;
  }
}

/**
 * Size and SHA-256 of each shard, flushed to disk first, so that what is reported outlives a power loss.
 *
 * @param prefix  the epoch's own folder; `files` are relative to it
 * @throws ShardRefused for a path that isn't a plain file of this epoch, or a file that changes meanwhile
 */
export async function inspectShards(prefix: string, files: readonly string[]): Promise<ShardFact[]> {
  if (files.length > shardsPerRankMax) throw new ShardRefused(shardsPerRankMax, `at most ${shardsPerRankMax} files`);
  const facts: ShardFact[] = [];
  for (const [index, file] of files.entries()) {
    const handle = await openShard(prefix, file).catch((error: unknown) => { throw new ShardRefused(index, (error as Error).message); });
    try {
      await handle.sync();
      facts.push({ path: file, ...await digest(handle, index) });
    } finally {
      await handle.close();
    }
  }
  await flushFolders(prefix, files);
  return facts;
}

/**
 * Checks the shards that a member goes on from, before it starts.
 *
 * @returns why the checkpoint can't be read here, or undefined where every shard is intact
 */
export async function findDamage(root: string, resume: ResumePoint): Promise<string | undefined> {
  if (!isShardPath(resume.dir)) return `${JSON.stringify(resume.dir)} is not a checkpoint folder`;
  for (const [index, shard] of resume.shards.entries()) {
    try {
      const handle = await openShard(path.join(root, resume.dir), shard.path);
      try {
        const size = (await handle.stat()).size;
        if (BigInt(size) !== BigInt(shard.bytes)) return `${shard.path} has ${size} bytes, the manifest says ${shard.bytes}`;
        const found = await digest(handle, index);
        if (found.sha256 !== shard.sha256) return `${shard.path} has SHA-256 ${found.sha256}, the manifest says ${shard.sha256}`;
      } finally {
        await handle.close();
      }
    } catch (error) {
      return `${shard.path}: ${(error as Error).message}`;
    }
  }
  return undefined;
}

/** Opens a plain file below `prefix`; no symlink and no `..` leads elsewhere, and a pipe or device isn't waited for. */
async function openShard(prefix: string, file: string): Promise<FileHandle> {
  if (!isShardPath(file)) throw new Error(`${JSON.stringify(file.slice(0, 200))} is not a path of plain names below the checkpoint folder`);
  const target = path.join(await realpath(prefix), file);
  if (await realpath(target) !== target) throw new Error(`${file} goes through a symbolic link`);
  const handle = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${file} is not a plain file`);
}

/** Streams the file, so a shard of any size takes one buffer. */
async function digest(handle: FileHandle, index: number): Promise<{ bytes: string; sha256: string }> {
  const before = await handle.stat();
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(readBytes, Math.max(1, before.size)));
  let position = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  const after = await handle.stat();
  if (position !== after.size || isChanged(before, after)) throw new ShardRefused(index, 'the file changed while it was read');
  return { bytes: String(position), sha256: hash.digest('hex') };
}

const isChanged = (before: Stats, after: Stats): boolean => before.size !== after.size || before.mtimeMs !== after.mtimeMs;

async function flushFolders(prefix: string, files: readonly string[]): Promise<void> {
  const folders = new Set<string>([prefix]);
  for (const file of files) for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) folders.add(path.join(prefix, folder));
  for (const folder of folders) {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
