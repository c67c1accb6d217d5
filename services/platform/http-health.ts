/** /healthz: the process answers. /readyz: what it needs answers too, and which part does not. */
import Type from 'typebox';
import type { Api } from './http.ts';

/** Resolves with a sentence, where the part answers; throws otherwise. */
export type Check = () => Promise<string>;

/** A part that takes longer counts as away: a probe must not hang. */
const checkTimeoutMs = 2_000;

const PartView = Type.Object({ name: Type.String(), ok: Type.Boolean(), detail: Type.String() });
const ReadyView = Type.Object({ ready: Type.Boolean(), parts: Type.Array(PartView) }, { $id: 'Readiness' });

export function healthRoutes(app: Api, checks: Readonly<Record<string, Check>>): void {
  app.addSchema(ReadyView);
  const ready = Type.Unsafe<{ ready: boolean; parts: { name: string; ok: boolean; detail: string }[] }>({ $ref: 'Readiness#' });

  app.get('/healthz', {
    schema: { operationId: 'health', summary: 'Whether the process answers', tags: ['operations'], response: { 200: Type.Object({ ok: Type.Boolean() }) } },
    config: { allow: 'public' },
  }, async () => ({ ok: true }));

  app.get('/readyz', {
    schema: { operationId: 'readiness', summary: 'Whether everything that the API needs answers', tags: ['operations'], response: { 200: ready, 503: ready } },
    config: { allow: 'public' },
  }, async (_request, reply) => {
    const parts = await Promise.all(Object.entries(checks).map(([name, check]) => judge(name, check)));
    const all = parts.every((part) => part.ok);
    return reply.code(all ? 200 : 503).send({ ready: all, parts });
  });
}

async function judge(name: string, check: Check): Promise<{ name: string; ok: boolean; detail: string }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => { timer = setTimeout(() => reject(new Error(`no answer within ${checkTimeoutMs} ms`)), checkTimeoutMs); });
  try {
    return { name, ok: true, detail: await Promise.race([check(), late]) };
  } catch (error) {
    return { name, ok: false, detail: (error instanceof Error && (error.message || (error as NodeJS.ErrnoException).code)) || String(error) };
  } finally {
    clearTimeout(timer);
  }
}
