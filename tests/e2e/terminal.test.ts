import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { CTRL_C, answerIn, place, wordsOf } from './terminal/talking.ts'

test('amodal chat on a terminal answers, leaves what it wrote, and gives the terminal back', async () => {
  const hostile = `\u001b]0;title\u0007\u001b]52;c;aGk=\u0007\u001b[2J\u202e`
  await using agent = await place(
    reply.text(['**Nine** ', `o'clock${hostile}.\n\n- one\n`, '- two']),
  )
  await using terminal = await agent.chat([], { columns: 40, rows: 10 })
  terminal.type('When?\r')
  await terminal.shows(/two[^]*sess_/)
  terminal.type(CTRL_C)
  await terminal.shows(/once more/)
  terminal.type(CTRL_C)
  expect(await terminal.ended).toBe(0)
  const text = await terminal.text()
  expect(answerIn(text, 'When?').trim()).toBe(`Nine o'clock.\n\n• one\n• two`)
  expect(text).toMatch(/^Resume with: amodal chat --resume sess_\w+$/m)
  // the reader of keys, the cursor and pastes are as they were
  expect(terminal.raw).toContain('\u001b[?2004l')
  expect(terminal.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(
    terminal.raw.lastIndexOf('\u001b[?25l'),
  )
  expect(terminal.raw).not.toMatch(/\u001b\]|\u001b\[2J|\u202e/)
  expect(wordsOf(text)).toContain('Type a message, or /help.')
}, 60_000)
