import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { answerIn, ESC, place, USUAL } from './talking.ts'

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content)
const echo: Script = ({ messages }) =>
  reply.text(`You: ${textOf(messages.findLast(({ role }) => role === 'user')?.content)}`)

const PASTE = `${ESC}[200~`
const PASTED = `${ESC}[201~`
const UP = `${ESC}[A`

describe('what is typed', () => {
  test('may have several lines, and a paste sends nothing', async () => {
    await using agent = await place(echo)
    await using terminal = await agent.chat()
    terminal.type('one')
    terminal.type(`${ESC}\r`)
    terminal.type('two\\\r')
    terminal.type(`${PASTE}three\r\nfour\r/exit\r${ESC}[31m${PASTED}`)
    await terminal.shows(/› one\n {2}two\n {2}three\n {2}four\n {2}\/exit$/m)
    expect(agent.model.count).toBe(0)
    terminal.type('\r')
    await terminal.shows(/You: /)
    expect(textOf(agent.model.requests[0]?.body.messages.at(-1)?.content)).toBe(
      'one\ntwo\nthree\nfour\n/exit',
    )
  }, 60_000)

  test('comes back with the arrow, also in a session that is resumed', async () => {
    await using agent = await place(echo)
    await using first = await agent.chat()
    first.type('hello\r')
    await first.shows(/You: hello[^]*sess_\w+$/)
    first.type(UP)
    await first.shows(/› hello\n {2}sess_\w+$/)
    first.type('\u0015\u0004')
    expect(await first.ended).toBe(0)
    await using second = await agent.chat(['--resume', 'latest'])
    await second.shows(/Going on with "hello" \(sess_\w+\)\n\n› hello\n\nYou: hello\n/)
    second.type(UP)
    await second.shows(/› hello\n {2}sess_\w+$/)
  }, 60_000)

  test('chooses a session of the list, and begins another one', async () => {
    await using agent = await place(echo)
    await using terminal = await agent.chat()
    terminal.type('first\r')
    await terminal.shows(/You: first[^]*sess_\w+$/)
    terminal.type('/new\r')
    await terminal.shows(/A new session begins/)
    terminal.type('second\r')
    await terminal.shows(/You: second[^]*sess_\w+$/)
    terminal.type('/sessions\r')
    await terminal.shows(/❯ 1\. second \(sess_\w+\), this one\n {2}2\. first/)
    terminal.type(`${ESC}[B`)
    await terminal.shows(/❯ 2\. first/)
    terminal.type('\r')
    await terminal.shows(/Going on with "first"[^]*You: first[^]*sess_\w+$/)
    terminal.type('/nothing\r')
    await terminal.shows(/There is no command \/nothing/)
  }, 60_000)
})

describe('the terminal', () => {
  test('is given back when the process is told to end', async () => {
    await using agent = await place(echo)
    await using terminal = await agent.chat()
    terminal.signal(15)
    expect(await terminal.ended).toBe(130)
    expect(terminal.raw).toContain(`${ESC}[?2004l`)
    expect(terminal.raw.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(
      terminal.raw.lastIndexOf(`${ESC}[?25l`),
    )
  }, 60_000)

  test('shows no colours where none are wanted', async () => {
    await using agent = await place(reply.text('**Bold** `code`'))
    for (const [argv, env] of [
      [['--no-color'], {}],
      [[], { NO_COLOR: '1' }],
    ] as const) {
      await using terminal = await agent.chat(argv, USUAL, env)
      terminal.type('hi\r')
      await terminal.shows(/Bold code[^]*sess_\w+$/)
      expect(terminal.raw).not.toMatch(/\u001b\[[\d;]*m/)
    }
  }, 60_000)

  test('is used as a whole with --fullscreen, and is as before afterwards', async () => {
    await using agent = await place(
      reply.text(Array.from({ length: 60 }, (_, at) => `line ${at}\n\n`).join('')),
    )
    await using terminal = await agent.chat(['--fullscreen'], { columns: 40, rows: 10 })
    terminal.type('hi\r')
    await terminal.shows(/line 59\n[^]*sess_\w+$/)
    expect(await terminal.visible()).toHaveLength(10)
    terminal.type(`${ESC}[5~`)
    await terminal.shows(/line 5[56]\n[^]*sess_\w+$/)
    terminal.type('\u0004')
    expect(await terminal.ended).toBe(0)
    expect(await terminal.text()).toMatch(/^Resume with: amodal chat --resume sess_\w+$/)
  }, 60_000)

  test('has plain lines for screen readers, and JSON for scripts', async () => {
    await using agent = await place(echo)
    await using lines = await agent.chatInLines(['--screen-reader'])
    await lines.shows(/you ›/)
    lines.type('hi\r')
    await lines.shows(/You: hi\n/)
    lines.type('/exit\r')
    expect(await lines.ended).toBe(0)
    expect(lines.raw).not.toContain(ESC)
    await using json = await agent.chatInLines(['hi', '--json'])
    expect(await json.ended).toBe(0)
    expect(await json.text()).toContain('{"kind":"text","text":"You: hi"}')
  }, 60_000)
})

test('an answer is the same in the scrollback of every terminal', async () => {
  const text = '# Title\n\nSome *text*.\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |'
  await using agent = await place(reply.text(text))
  await using terminal = await agent.chat()
  terminal.type('hi\r')
  await terminal.shows(/1 {2}2[^]*sess_\w+$/)
  expect(answerIn(await terminal.text(), 'hi').trim()).toBe(
    'Title\n\nSome text.\n\n1. one\n2. two\n\na  b\n─  ─\n1  2',
  )
}, 60_000)
