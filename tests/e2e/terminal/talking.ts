import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { PseudoTerminal, type TerminalSize } from './pseudo-terminal.ts'

export const USUAL: TerminalSize = { columns: 80, rows: 24 }
export const ESC = '\u001b'
/** A message can be typed. */
export const READY = /^› Type a message, or \/help$/m
export const CTRL_C = '\u0003'

const TOOL = {
  'tools/replace_text/tool.json': JSON.stringify({
    description: 'Replaces text in a note.',
    parameters: {
      type: 'object',
      properties: {
        note: { type: 'string' },
        old_string: { type: 'string' },
        new_string: { type: 'string' },
      },
      required: ['note', 'old_string', 'new_string'],
    },
    confirm: true,
  }),
  'tools/replace_text/handler.ts': 'export default ({ note }) => ({ changed: note })\n',
}

export interface Place extends AsyncDisposable {
  readonly dir: string
  readonly model: ModelServer
  readonly env: Readonly<Record<string, string>>
  /** `amodal chat` on a terminal, for this agent. */
  chat(argv?: readonly string[], size?: TerminalSize, env?: Place['env']): Promise<PseudoTerminal>
  /** The same, where it writes lines. */
  chatInLines(argv: readonly string[]): Promise<PseudoTerminal>
}

/** An agent with a tool that needs an approval, before a scripted model. */
export async function place(script: Script): Promise<Place> {
  const [model, dir] = await Promise.all([
    startModelServer({ script }),
    mkdtemp(join(tmpdir(), 'amodal-terminal-')),
  ])
  const models = { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } }
  const files = { 'amodal.json': JSON.stringify({ name: 'notes', models }), ...TOOL }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
  const env = { LOG_LEVEL: 'none' }
  return {
    dir,
    model,
    env,
    async chat(argv = [], size = USUAL, more = {}) {
      const terminal = new PseudoTerminal(['chat', '--dir', dir, ...argv], size, {
        ...env,
        ...more,
      })
      await terminal.shows(READY)
      return terminal
    },
    chatInLines: (argv) =>
      Promise.resolve(new PseudoTerminal(['chat', '--dir', dir, ...argv], USUAL, env)),
    async [Symbol.asyncDispose]() {
      await model.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A text with one space between its words, without the marks of lists and tables. */
export const wordsOf = (text: string): string =>
  text
    .replaceAll(/[-`|•─│]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** What the agent answered to a message, as the scrollback has it. */
export function answerIn(text: string, message: string): string {
  const from = text.lastIndexOf(`› ${message}\n`)
  const answer = text.slice(from + message.length + 3)
  const end = answer.search(/^(?:› |Resume with)/m)
  return end === -1 ? answer : answer.slice(0, end)
}
