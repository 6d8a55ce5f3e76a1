import {
  answersIn,
  type AskedChoices,
  choicesOf,
  SUMMARY_HEAD,
  splitUntrusted,
  type Message,
  type RunContext,
} from '@amodal/sdk'
import type { MemoryOrigin } from './tokens.ts'

/** Tools that give back the agent's own files, a fixed sentence, or what a person answered. */
const OWN: ReadonlySet<string> = new Set([
  'load_knowledge',
  'activate_skill',
  'read_skill_file',
  'describe_connection',
  'present',
  'enter_plan_mode',
  'propose_plan',
  'propose_knowledge',
  'stop_execution',
  'find_tools',
  'remember',
  'forget',
  'ask_user',
])

/** Returns a person's answers. */
const ASK = 'ask_user'

/**
 * Words without meaning of their own. Words that invert a sentence (`not`, `never`, `always`) are
 * not among them.
 */
const SMALL: ReadonlySet<string> = new Set(
  (
    'a an the and or of to in on at by for from with as is are was were be been has have had that this these those it its they them their he she his her ' +
    'i me my we us our you your user users person customer people prefers prefer preferred wants want wanted likes like said says say asked asks told noted'
  ).split(' '),
)

/**
 * The origin of a note. Without untrusted content in the conversation it is the person; with it,
 * each significant word of the note has to occur in what the person wrote.
 */
export function originOf(
  text: string,
  { messages, delegated }: Pick<RunContext, 'messages' | 'delegated'>,
): MemoryOrigin {
  const said: string[] = []
  const from = new Set<string>()
  const choices = new Map<string, readonly AskedChoices[]>()
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const part of message.content)
        if (part.type === 'tool-call' && part.toolName === ASK)
          choices.set(part.toolCallId, choicesOf(part.input))
    if (message.role === 'tool') for (const tool of toolsOf(message)) from.add(tool)
    if (message.role === 'tool') said.push(...answersOf(message, choices))
    if (message.role === 'user') {
      const written = textOf(message)
      const { outside, inside } = splitUntrusted(written)
      if (written.startsWith(SUMMARY_HEAD)) from.add('summary')
      else said.push(outside)
      if (inside.length > 0) from.add('event')
    }
  }
  if (delegated === true) return { by: 'outside', from: ['dispatch_task', ...from].sort() }
  if (from.size === 0) return { by: 'person' }
  const words = new Set(said.flatMap(wordsOf))
  return wordsOf(text).every((word) => SMALL.has(word) || words.has(word))
    ? { by: 'person' }
    : { by: 'outside', from: [...from].sort() }
}

const toolsOf = ({ content }: Extract<Message, { role: 'tool' }>): readonly string[] =>
  content.flatMap((part) =>
    part.type === 'tool-result' && !OWN.has(part.toolName) ? [part.toolName] : [],
  )

/** Answers that count as the person's words; a choice does only if the person saw its text. */
const answersOf = (
  { content }: Extract<Message, { role: 'tool' }>,
  choices: ReadonlyMap<string, readonly AskedChoices[]>,
): readonly string[] =>
  content.flatMap((part) => {
    if (part.type !== 'tool-result' || part.toolName !== ASK || part.output.type !== 'text')
      return []
    return answersIn(part.output.value, choices.get(part.toolCallId) ?? [undefined]).flatMap(
      ({ text, isTheirs }) => (isTheirs ? [text] : []),
    )
  })

const textOf = ({ content }: Extract<Message, { role: 'user' }>): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')

/**
 * In lower case, without the ending of a plural or a verb. A sign counts as a word: letters in
 * circles and boxes are signs, too.
 */
const wordsOf = (text: string): readonly string[] =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+|\p{So}/gu) ?? []
  ).map((word) => (SMALL.has(word) || word.length < 4 ? word : word.replace(/(?:es|s)$/u, '')))
