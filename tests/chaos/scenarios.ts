import { callsOf, type Deed, type Plan } from './plan.ts'

const read = { tool: 'read_thing' } as const
const keyed = { tool: 'effect_keyed' } as const
const plain = { tool: 'effect_plain' } as const
const ask = { tool: 'ask_user' } as const
const stop = { tool: 'stop_execution' } as const
const approve = true
const dispatch = (task: NonNullable<Deed['steps'][number][number]['task']>) =>
  ({ tool: 'dispatch_task', task }) as const

/** Model calls after which a person is asked whether to go on. */
export const TURNS = 3

/** Tokens of the model's window: two steps with so many words are too long for it. */
export const WINDOW = 8_000
const WORDS = 10_000

const state = { tool: 'update_state' } as const
const count = { tool: 'count_state' } as const

/** Turns that change the session's state. */
export const STATE_SCENARIOS: Readonly<Record<string, Deed>> = {
  'a change of the state': { steps: [[state]] },
  'changes in two steps, with effects': {
    steps: [
      [plain, state],
      [state, keyed],
    ],
  },
  'a change and an approval': { steps: [[state], [{ ...plain, approve }]] },
  'a change and a question': { steps: [[state], [ask]] },
  'a change in a turn that fails': { steps: [[state]], fails: true },
  'a change and an end by a tool': { steps: [[state, stop]] },
}

/** Turns that change the state of the agent, which all sessions share. */
export const AGENT_STATE_SCENARIOS: Readonly<Record<string, Deed>> = {
  'a change of the agent': { steps: [[count]] },
  'changes of both, with an effect': {
    steps: [
      [count, state],
      [plain, count],
    ],
  },
  'a change of the agent in a turn that fails': { steps: [[count]], fails: true },
  'a change of the agent and a question': { steps: [[count], [ask]] },
}

/** Turns that pass through every state a turn can be in, and every way from one to the next. */
export const SCENARIOS: Readonly<Record<string, Deed>> = {
  'words alone': { steps: [] },
  'two readings at once': { steps: [[read, read]] },
  'an effect with a key': { steps: [[keyed]] },
  'an effect without a key': { steps: [[plain]] },
  'two effects in a step': { steps: [[plain, keyed]] },
  'readings between effects': { steps: [[read, plain, read, keyed]] },
  'effects in two steps': { steps: [[keyed], [plain]] },
  'a question': { steps: [[ask]] },
  'a question after an effect': { steps: [[plain], [read, ask]] },
  'an approved effect without a key': { steps: [[{ ...plain, approve }]] },
  'two approvals in a step': {
    steps: [
      [
        { ...keyed, approve },
        { ...plain, approve },
      ],
    ],
  },
  'an effect and an end': { steps: [[plain], [keyed, stop]] },
  'more steps than granted': { steps: [[read], [keyed], [plain]] },
  'three sub-agents at once': {
    steps: [
      [
        dispatch({ steps: [[keyed]] }),
        dispatch({ steps: [[read]], fails: true }),
        dispatch({ steps: [[ask]] }),
      ],
    ],
  },
  'a sub-agent that waits for an approval': {
    steps: [
      [keyed, dispatch({ steps: [[{ ...plain, approve }]] }), dispatch({ steps: [[plain]] })],
    ],
  },
  'too long for the window': { steps: [[keyed], [plain]], words: WORDS },
  'refused as too long': { steps: [[keyed, read], [plain]], words: 4_000, overflows: 2 },
}

/** How often the model is asked. A turn that a tool ends needs no last word. */
export const repliesOf = ({ steps }: Plan): number =>
  steps.length + (steps.at(-1)?.some(({ tool }) => tool === 'stop_execution') ? 0 : 1)

/** The conversation is summed up on the way. */
export const compacts = ({ words }: Deed): boolean => words !== undefined

/** Calls that reach the outside server. */
export const outsideCallsOf = (plan: Plan): ReturnType<typeof callsOf> =>
  callsOf(plan).filter(
    ({ tool }) => tool === 'read_thing' || tool === 'effect_keyed' || tool === 'effect_plain',
  )

/** The changes of the state that count in the end. */
export const changesOf = (plan: Plan): ReturnType<typeof callsOf> =>
  plan.fails ? [] : callsOf(plan).filter(({ tool }) => tool === 'update_state')

/** The changes of the agent's state that count in the end. */
export const countsOf = (plan: Plan): ReturnType<typeof callsOf> =>
  plan.fails ? [] : callsOf(plan).filter(({ tool }) => tool === 'count_state')

/** Calls whose intent is written down before they run. */
export const intendedOf = (plan: Plan): ReturnType<typeof callsOf> =>
  callsOf(plan).filter(({ tool }) => tool.startsWith('effect_') || tool.endsWith('_state'))

/** Calls that change something, in the order in which they run. */
export const effectsOf = (plan: Plan): ReturnType<typeof callsOf> =>
  callsOf(plan).filter(({ tool }) => tool === 'effect_keyed' || tool === 'effect_plain')
