import type { Ask, Item } from '@amodal/sdk/client'
import { describe, expect, test } from 'vitest'
import { plain } from '../src/paint.ts'
import { askLines } from '../src/screen/ask-lines.ts'
import { AskPrompt } from '../src/screen/ask-prompt.ts'
import { fullscreenFrame } from '../src/screen/fullscreen.ts'
import { itemLines } from '../src/screen/item-lines.ts'
import { livePart, type LiveState } from '../src/screen/live-part.ts'
import { eraseReflowed } from '../src/screen/reflow.ts'
import { RepaintBudget } from '../src/screen/repaint-budget.ts'
import { valueLines } from '../src/screen/values.ts'
import { widthOf } from '../src/width.ts'

const layout = { columns: 40, paint: plain }
const approval: Ask = {
  id: 'a1',
  kind: 'approval',
  tool: 'send_mail',
  target: 'POST /mails',
  reason: 'sends\u001b[2J mail',
  params: { to: 'Ada', token: 'sk-planted', body: 'one\ntwo' },
  details: {},
  escalated: false,
  grant: 'POST /mails',
  expires: '2026-05-01T09:00:00Z',
}
const state: LiveState = {
  state: 'idle',
  tail: [],
  pending: [],
  draft: { text: '', cursor: 0 },
  prompt: undefined,
  picker: undefined,
  remark: '',
  session: 'sess_1',
}
const user = (text: string): Item => ({ kind: 'user', key: 'u', text })

describe('what an approval is about', () => {
  test('is shown in full, without secrets and control characters', () => {
    expect(askLines(approval, layout)).toEqual([
      '? Needs your approval: send_mail POST',
      '  /mails',
      '  sends mail',
      '    to: Ada',
      '    token: [REDACTED]',
      '    body:',
      '      one',
      '      two',
      '  expires 2026-05-01T09:00:00Z',
    ])
  })

  test('is the lines that change, where one argument replaces another one', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`)
    const before = lines.join('\n')
    const after = before.replace('line 10', 'line ten').replace('line 0\n', '')
    expect(valueLines({ path: 'x.md', old_string: before, new_string: after }, layout)).toEqual([
      'path: x.md',
      '-line 0',
      ' line 1',
      ' line 2',
      ' line 3',
      '  …',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+line ten',
      ' line 11',
      ' line 12',
      ' line 13',
    ])
  })
})

describe('a decision', () => {
  test('is no, unless another choice is selected', () => {
    expect(new AskPrompt(approval).enter('')).toEqual({ id: 'a1', approved: false })
    const prompt = new AskPrompt(approval)
    prompt.move(1)
    expect(prompt.enter('')).toEqual({ id: 'a1', approved: true })
  })

  test.each([
    ['y', { approved: true }],
    ['YES ', { approved: true }],
    ['always', { approved: true, scope: 'conversation' }],
    ['n', { approved: false }],
    ['say', { approved: false }],
    ['yes please', { approved: false }],
  ])('is what the word %j means', (word, answer) => {
    const prompt = new AskPrompt(approval)
    prompt.select(word)
    expect(prompt.enter(word)).toEqual({ id: 'a1', ...answer })
  })

  test('may have a reason', () => {
    const prompt = new AskPrompt(approval)
    prompt.select('why')
    expect(prompt.enter('why')).toBeUndefined()
    expect(prompt.question).toEqual(['What should it do instead?'])
    expect(prompt.enter('ask Bob ')).toEqual({ id: 'a1', approved: false, feedback: 'ask Bob' })
  })

  test('about a limit is to finish', () => {
    const limit: Ask = { id: 'l', kind: 'limit', reason: 'max_turns', limit: '5', used: '5' }
    expect(new AskPrompt(limit).enter('')).toEqual({ id: 'l', action: 'finish' })
  })
})

describe('the part of the screen that changes', () => {
  test('is never higher than it may be, and never wider than the screen', () => {
    const long = Array.from({ length: 100 }, (_, at) => `line ${at}`)
    for (const rows of [2, 3, 5, 8, 22]) {
      const full: LiveState = {
        ...state,
        state: 'running',
        tail: long,
        pending: long.map((text) => user(text)),
        draft: { text: long.join('\n'), cursor: 300 },
        prompt: new AskPrompt(approval),
      }
      const { lines, cursor } = livePart(full, layout, rows)
      expect(lines.length).toBeLessThanOrEqual(rows)
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(layout.columns)
      expect(cursor?.y).toBeLessThan(rows)
    }
  })

  test('shows the newest of what is in progress, and what waits for its turn', () => {
    const { lines } = livePart(
      { ...state, state: 'running', tail: ['1', '2', '3'], pending: [user('later')] },
      layout,
      4,
    )
    expect(lines).toEqual(['2', '3', '  next: later', '› Esc stops the answer'])
  })

  test('offers commands, and says when the server is away', () => {
    const draft = { text: '/st', cursor: 3 }
    const { lines, cursor } = livePart({ ...state, state: 'away', draft }, layout, 8)
    expect(lines).toEqual([
      '',
      '  /stop  stops the answer, as Esc does',
      '› /st',
      'The server cannot be reached. Trying on…',
    ])
    expect(cursor).toEqual({ x: 5, y: 2 })
  })
})

test('the whole screen shows the last lines, or those before them', () => {
  const blocks = [
    { key: '0', text: 'a\nb\nc' },
    { key: '1', text: 'd' },
  ]
  const live = { lines: ['› '], cursor: { x: 2, y: 0 } }
  expect(fullscreenFrame(blocks, live, 3, 0).live).toEqual({
    lines: ['c', 'd', '› '],
    cursor: { x: 2, y: 2 },
  })
  expect(fullscreenFrame(blocks, live, 3, 9).live.lines).toEqual(['a', 'b', '› '])
  expect(fullscreenFrame(blocks, live, 7, 0).live.lines).toEqual([
    ...['', '', 'a', 'b', 'c', 'd', '› '],
  ])
})

test('lines that a narrower terminal broke are erased with the rows that they take', () => {
  const lines = ['x'.repeat(100), '› ']
  expect(eraseReflowed({ lines, cursor: undefined }, 200)).toBe('')
  expect(eraseReflowed({ lines, cursor: undefined }, 40)).toBe('\u001b[4A\r\u001b[J\n\n')
  expect(eraseReflowed({ lines, cursor: { x: 2, y: 1 } }, 40)).toBe(
    '\u001b[3A\r\u001b[J\n\n\u001b[1A',
  )
})

test('a budget ends when twice the answer is written, and grows with it', () => {
  let written = 1_000
  const budget = new RepaintBudget(() => written)
  expect(budget.isWithin).toBe(true)
  written += 2_000
  expect(budget.isWithin).toBe(false)
  budget.grow(500)
  expect(budget.isWithin).toBe(true)
  budget.reset()
  written += 2_000
  expect(budget.isWithin).toBe(false)
})

test('what a message carries is shown without what a terminal would obey', () => {
  expect(itemLines(user('a\u001b]0;x\u0007b\n\u202ec'), layout)).toEqual(['› ab', '  c'])
  expect(itemLines({ kind: 'note', key: 'n', tone: 'error', text: 'no\u001b[1m' }, layout)).toEqual(
    ['  ✗ no'],
  )
})
