import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, Prompt } from '../../core/index.ts';
import { ConversationQueue } from './conversation-queue.ts';
import type { NewConversation, Turn } from './conversation-queue.ts';

const answer: Answer = { text: 'yes', reasoning: '', outputTokens: 1 };
const talk = (number: number, turns: number, turn = 0): Prompt => ({
  id: turn === 0 ? `t${number}` : `t${number}#${turn + 1}`,
  messages: [{ role: 'user', content: `say ${turn}` }],
  text: null,
  inputTokens: null,
  maxTokens: null,
  labels: {},
  thinkMs: 10,
  turns: turns - turn,
  follow: () => (turn + 1 < turns ? talk(number, turns, turn + 1) : null),
});
/** Conversations of these lengths, one after the other, as soon as a slot is free. */
function openings(lengths: readonly number[]): () => NewConversation | null {
  let [at, turnsBefore] = [0, 0];
  return () => {
    const turns = lengths[at];
    if (turns === undefined) return null;
    const opening = { prompt: talk(at++, turns), turnsBefore, dueMs: null };
    turnsBefore += turns;
    return opening;
  };
}

describe('the turns of conversations', () => {
  it('a count is dealt out in order: as many turns as it says, the last conversation cut, in any order of answers', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        fc.infiniteStream(fc.nat()),
        (lengths, requests, chance) => {
          const book = new ConversationQueue({ requests, durationMs: null });
          const open = openings(lengths);
          const asked: string[] = [];
          const inFlight: Turn[] = [];
          for (let nowMs = 0; !book.empty || inFlight.length > 0; nowMs += 5) {
            expect(nowMs).toBeLessThan(10_000);
            if (book.wantsNew) book.begin(open());
            const turn = inFlight.length < 3 ? book.take(nowMs) : null;
            if (turn !== null) {
              asked.push(turn.prompt.id);
              inFlight.push(turn);
            } else if (inFlight.length > 0) {
              const [done] = inFlight.splice(chance.next().value % inFlight.length, 1);
              expect(book.ended(done!, answer, nowMs)).toBe(0);
            }
          }
          const everyTurn = lengths.flatMap((turns, number) =>
            Array.from({ length: turns }, (_, i) => (i === 0 ? `t${number}` : `t${number}#${i + 1}`)),
          );
          expect(asked.toSorted()).toEqual(everyTurn.slice(0, requests).toSorted());
        },
      ),
    );
  });

  it('a conversation that breaks loses the turns that the count had given it, and no more', () => {
    const book = new ConversationQueue({ requests: 4, durationMs: null });
    const open = openings([3, 3]);
    book.begin(open());
    const first = book.take(0)!;
    book.begin(open());
    const second = book.take(0)!;
    expect(book.ended(first, null, 5)).toBe(2);
    // The second has one turn of the four: it is over, whatever its answer.
    expect(book.ended(second, null, 5)).toBe(0);
    book.begin(open());
    expect(book.empty).toBe(true);
  });

  it('a turn that would come due after the end is not asked, and is not lost: it never came due', () => {
    const book = new ConversationQueue({ requests: null, durationMs: 100 });
    const open = openings([2]);
    book.begin(open());
    expect(book.ended(book.take(0)!, answer, 90)).toBe(0);
    expect(book.nextMs).toBe(Infinity);
  });
});
