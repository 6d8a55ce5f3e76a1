/**
 * The words that load, model and servers of a bench share. It imports nothing, because the floors
 * import it: what they load counts as theirs.
 */

/** The tool that the `tool` script calls; every server under test has it and answers a constant. */
export const benchTool = {
  name: 'bench_lookup',
  description: 'Looks a record up by its key.',
  result: { key: 'a', value: 42 },
} as const

/**
 * What the API of the guards' bench answers: a contact, of which the agent may not see everything.
 */
export const benchRecord = {
  id: 'c-17',
  name: 'Rosa Lindqvist',
  email: 'rosa.lindqvist@example.com',
  phone: '+46 8 123 456 78',
  company: 'Northwind',
  city: 'Malmö',
  tier: 'gold',
  credit_limit: 12_500,
  tax_number: '19640823-3234',
  created_at: '2026-02-11T08:30:00Z',
  updated_at: '2026-10-02T16:45:00Z',
  notes:
    'Prefers to be called in the morning. Asked for the new price list in September and has not had an answer yet.',
  deals: [
    { id: 'd-1', title: 'Spring order', amount: 4_200, stage: 'won' },
    { id: 'd-2', title: 'Autumn order', amount: 6_900, stage: 'offer' },
  ],
} as const

/** The last words of every script: a turn that does not show them has failed. */
export const sentinel = '(end)'

/** Names a script in a message. The words behind it are the script's numbers. */
export const say = {
  /** One answer, all its chunks at once. */
  text: (chunks: number) => `bench:text:${chunks}`,
  /** A call of the bench tool, then twenty chunks of text. */
  tool: () => 'bench:tool',
  /**
   * A call of the bench API, then twenty chunks of text. Only the servers of the guards' bench have
   * it.
   */
  request: () => 'bench:request',
  /** One chunk every `pace` milliseconds. */
  paced: (chunks: number, pace: number) => `bench:paced:${chunks}:${pace}`,
  /** Text that does not compress: `chunks` chunks of random letters. */
  random: (chunks: number) => `bench:random:${chunks}`,
  /** One chunk at once and the rest after `milliseconds`. */
  hold: (milliseconds: number) => `bench:hold:${milliseconds}`,
} as const

/** Random lower-case letters and spaces, `length` of them. */
export function randomLetters(length: number): string {
  return Array.from({ length }, () =>
    String.fromCharCode(Math.random() < 0.15 ? 32 : 97 + Math.floor(Math.random() * 26)),
  ).join('')
}
