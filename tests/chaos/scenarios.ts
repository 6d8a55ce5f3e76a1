import { callsOf, type Plan } from './plan.ts'

const read = { tool: 'read_thing' } as const
const keyed = { tool: 'effect_keyed' } as const
const plain = { tool: 'effect_plain' } as const
const ask = { tool: 'ask_user' } as const
const stop = { tool: 'stop_execution' } as const
const approve = true

/** Model calls after which a person is asked whether to go on. */
export const TURNS = 3

/** Turns that pass through every state a turn can be in, and every way from one to the next. */
export const SCENARIOS: Readonly<Record<string, Plan['steps']>> = {
  'words alone': [],
  'two readings at once': [[read, read]],
  'an effect with a key': [[keyed]],
  'an effect without a key': [[plain]],
  'two effects in a step': [[plain, keyed]],
  'readings between effects': [[read, plain, read, keyed]],
  'effects in two steps': [[keyed], [plain]],
  'a question': [[ask]],
  'a question after an effect': [[plain], [read, ask]],
  'an approved effect without a key': [[{ ...plain, approve }]],
  'two approvals in a step': [[{ ...keyed, approve }, { ...plain, approve }]],
  'an effect and an end': [[plain], [keyed, stop]],
  'more steps than granted': [[read], [keyed], [plain]],
}

/** How often the model is asked. A turn that a tool ends needs no last word. */
export const repliesOf = ({ steps }: Plan): number => steps.length + (steps.at(-1)?.some(({ tool }) => tool === 'stop_execution') ? 0 : 1)

/** Calls that reach the outside server. */
export const outsideCallsOf = (plan: Plan): ReturnType<typeof callsOf> => callsOf(plan).filter(({ tool }) => tool !== 'ask_user' && tool !== 'stop_execution')

/** Calls that change something, in the order in which they run. */
export const effectsOf = (plan: Plan): ReturnType<typeof callsOf> => callsOf(plan).filter(({ tool }) => tool === 'effect_keyed' || tool === 'effect_plain')
