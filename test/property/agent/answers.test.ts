import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstPosition, judge, parseAnswer, type Position } from '#services/agent/answers.ts';
import { isMemberKey, MemberFolder } from '#services/agent/member-folder.ts';
import type { Answer } from '#services/fleet/model.ts';

const answer = (change: Partial<Answer>): Answer => ({
  clusterId: 'c', incarnation: 1, session: '5', echo: 1, leaseTtlMs: 1_000, heartbeatMs: 100, generation: '1', run: [], stop: [], ack: [], ...change,
});

const anyAnswer = fc.record({
  clusterId: fc.constantFrom('c', 'c', 'c', 'foreign'), incarnation: fc.integer({ min: 0, max: 3 }), session: fc.constantFrom('5', '5', '5', '4', '6'),
  echo: fc.integer({ min: 0, max: 12 }), generation: fc.bigInt({ min: 0n, max: 6n }).map(String), isHello: fc.boolean(), ageMs: fc.integer({ min: 0, max: 1_500 }),
});

it('P3 in any order of answers, what is applied never goes back in incarnation, generation or echo, and is never foreign or outlived', () => {
  fc.assert(fc.property(fc.array(anyAnswer, { maxLength: 40 }), (answers) => {
    let position: Position = { ...firstPosition('c', 0), session: '5' };
    for (const { isHello, ageMs, ...fields } of answers) {
      const before = position;
      const verdict = judge(before, answer({ ...fields, ...isHello ? { hello: true } : {} }), 0, ageMs);
      if (verdict.kind === 'drop') continue;
      position = verdict.position;
      expect(fields.clusterId).toBe('c');
      expect(ageMs).toBeLessThan(1_000);
      expect(position.echo).toBeGreaterThan(before.echo);
      expect(position.incarnation).toBeGreaterThanOrEqual(before.incarnation);
      if (position.incarnation === before.incarnation) expect(position.generation).toBeGreaterThanOrEqual(before.generation);
      if (!isHello) expect(fields.session).toBe(before.session);
      else expect(BigInt(position.session)).toBeGreaterThan(BigInt(before.session));
    }
  }));
});

it('P3 an answer that is newer in every way is applied, and the lists of a newer incarnation count anew', () => {
  const first = judge({ ...firstPosition('c', 1), session: '5', generation: 9n, echo: 3 }, answer({ echo: 4, incarnation: 2, generation: '1' }), 0, 10);
  expect(first).toMatchObject({ kind: 'apply', position: { incarnation: 2, generation: 1n, echo: 4 } });
});

it('P1 a hello of a newer incarnation doesn’t carry the older one’s generation along', () => {
  const hello = judge({ ...firstPosition('c', 1), generation: 9n }, answer({ hello: true, incarnation: 2, generation: '4', session: '8' }), 0, 10);
  expect(hello).toMatchObject({ kind: 'apply', position: { generation: 0n, session: '8' } });
});

it('whatever comes over the wire, parsing gives an answer, a refusal or nothing', () => {
  fc.assert(fc.property(fc.oneof(fc.anything(), fc.record({ clusterId: fc.anything(), run: fc.array(fc.anything()) })), (value) => {
    const parsed = parseAnswer(value);
    expect(parsed === undefined || 'refused' in parsed || 'answer' in parsed).toBe(true);
  }));
});

it('items that can’t be read are left out, and the others stay', () => {
  const key = { job: 'job_00000000000000000000000001', epoch: '1', rank: 0 };
  fc.assert(fc.property(fc.array(fc.anything()), (junk) => {
    const parsed = parseAnswer(answer({ run: [...junk, { ...key, order: 'keep' }] as Answer['run'] }));
    expect(parsed && 'answer' in parsed && parsed.answer.run.at(-1)).toEqual({ ...key, order: 'keep' });
  }));
});

it('no key leads out of the members’ folder', () => {
  const trick = fc.oneof(fc.string(), fc.constantFrom('..', '.', '', '/', '1/..', 'job_00000000000000000000000001/..'));
  const mostly = (valid: string) => fc.oneof({ weight: 4, arbitrary: fc.constant(valid) }, { weight: 1, arbitrary: trick });
  fc.assert(fc.property(mostly('job_00000000000000000000000001'), mostly('1'), fc.oneof(fc.nat(4_095), fc.integer(), fc.double()), (job, epoch, rank) => {
    const key = { job, epoch, rank };
    fc.pre(isMemberKey(key));
    expect(new MemberFolder('/members', key).path).toMatch(/^\/members\/job_[0-9a-z]{26}\/\d+\/\d+$/);
  }), { numRuns: 300 });
});
