import type { ConversationSnapshot, Item } from '@amodal/sdk/client'
import { withoutControls } from '@amodal/sdk/data'
import { COMMANDS, commandsLike } from '../input/commands.ts'
import { draftView, type Draft } from '../input/draft.ts'
import type { Layout } from '../markdown/layout.ts'
import { fit } from '../width.ts'
import type { AskPrompt } from './ask-prompt.ts'
import { runningCallLine } from './item-lines.ts'
import type { SessionPicker } from './session-picker.ts'

/** What the part of the screen that changes shows. */
export interface LiveState {
  readonly state: ConversationSnapshot['state']
  /** Lines of the answer that may still change. */
  readonly tail: readonly string[]
  /** Items that are not finished. */
  readonly pending: readonly Item[]
  readonly draft: Draft
  readonly prompt: AskPrompt | undefined
  readonly picker: SessionPicker | undefined
  /** A remark in place of the hint. */
  readonly remark: string
  readonly session: string | undefined
}

/** Lines of the screen, and where the cursor stands in them. */
export interface LivePart {
  readonly lines: readonly string[]
  readonly cursor: { readonly x: number; readonly y: number } | undefined
}

/** Rows that the draft may take. */
const DRAFT_ROWS = 6
/** Rows of a menu. */
const MENU_ROWS = 6
const SIGN = '› '

/**
 * The lines below the scrollback, from the open end of the answer to the message being typed.
 *
 * @param rows that they may take, 2 or more
 */
export function livePart(state: LiveState, layout: Layout, rows: number): LivePart {
  const input = inputPart(state, layout, Math.max(1, Math.min(DRAFT_ROWS, rows - 3)))
  const hint = hintLine(state, layout)
  const below = hint === '' ? [] : [hint]
  const menu = menuLines(state, layout).slice(0, Math.max(0, rows - input.lines.length - 1))
  const free = Math.max(0, rows - input.lines.length - below.length - menu.length)
  const flowing = aboveLines(state, layout, free)
  const isQuiet = flowing.length === 0 && state.state !== 'running' && free > 0
  const above = isQuiet ? [''] : flowing
  const cursor = input.cursor && {
    x: input.cursor.x,
    y: above.length + menu.length + input.cursor.y,
  }
  return { lines: [...above, ...menu, ...input.lines, ...below], cursor }
}

/** The newest lines of what is in progress. */
function aboveLines({ tail, pending }: LiveState, layout: Layout, rows: number): readonly string[] {
  const calls = pending.flatMap((item) => pendingLines(item, layout))
  const lines = [...tail, ...calls]
  if (lines.length <= rows) return lines
  return rows === 0 ? [] : lines.slice(lines.length - rows)
}

function pendingLines(item: Item, layout: Layout): readonly string[] {
  switch (item.kind) {
    case 'call':
      return runningCallLine(item, layout).split('\n')
    case 'user':
      return [dimLine(`  next: ${item.text}`, layout)]
    case 'thought':
      return [dimLine(`  ${item.text.trim().split('\n').at(-1) ?? ''}`, layout)]
    default:
      return []
  }
}

const dimLine = (text: string, { columns, paint }: Layout): string =>
  paint(fit(withoutControls(text).replaceAll('\n', ' '), columns), 'dim')

function menuLines({ draft, prompt, picker }: LiveState, layout: Layout): readonly string[] {
  const { columns, paint } = layout
  if (picker) return picker.lines(layout, MENU_ROWS)
  if (prompt) {
    const choices = prompt.choices.map(({ label }, at) => {
      const isSelected = at === prompt.selected
      const line = fit(`${isSelected ? '❯' : ' '} ${label}`, columns)
      return isSelected ? paint(line, 'bold') : line
    })
    const problem = prompt.problem === '' ? [] : [paint(fit(prompt.problem, columns), 'warning')]
    return [...prompt.question.map((line) => fit(line, columns)), ...choices, ...problem]
  }
  const names = commandsLike(draft.text)
  return names[0] === draft.text
    ? []
    : names.slice(0, MENU_ROWS).map((name) => dimLine(`  ${name}  ${COMMANDS[name]}`, layout))
}

function inputPart(state: LiveState, { columns, paint }: Layout, height: number): LivePart {
  const { draft, picker } = state
  if (picker) return { lines: [], cursor: undefined }
  const sign = paint(SIGN, 'accent', 'bold')
  const view = draftView(draft, Math.max(2, columns - SIGN.length), height)
  const placeholder = draft.text === '' ? placeholderOf(state) : ''
  const rows =
    placeholder === '' ? view.rows : [paint(fit(placeholder, columns - SIGN.length), 'dim')]
  return {
    lines: rows.map((row, at) => (at === 0 ? sign : ' '.repeat(SIGN.length)) + row),
    // a cursor that blinks within text that flows is repainted with each of its lines
    cursor:
      placeholder !== '' && state.state === 'running'
        ? undefined
        : { x: SIGN.length + view.x, y: view.y },
  }
}

function placeholderOf({ prompt, state }: LiveState): string {
  if (prompt) return prompt.choices.length > 0 ? 'Enter takes the choice' : 'type the answer'
  return state === 'running' ? 'Esc stops the answer' : 'Type a message, or /help'
}

function hintLine({ remark, state, session }: LiveState, layout: Layout): string {
  if (remark !== '') return layout.paint(fit(remark, layout.columns), 'warning')
  switch (state) {
    case 'away':
      return layout.paint(
        fit('The server cannot be reached. Trying once more …', layout.columns),
        'warning',
      )
    case 'loading':
      return dimLine('  Loading the session …', layout)
    case 'running':
      return ''
    case 'waiting':
    case 'idle':
      return session === undefined ? '' : dimLine(`  ${session}`, layout)
    default:
      return state satisfies never
  }
}
