import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { ESC, place } from './talking.ts'

const call = {
  name: 'replace_text',
  arguments: { note: 'plan', old_string: 'one\ntwo\nthree', new_string: 'one\n2\nthree' },
}
const approval: Script = (request, n) => {
  const last = request.messages.at(-1)
  if (last?.role === 'tool') return reply.text(`It was: ${JSON.stringify(last.content)}`)
  return n < 0 ? reply.text('') : reply.toolCalls(call)
}

describe('an approval', () => {
  test('shows what changes, and Enter is no', async () => {
    await using agent = await place(approval)
    await using terminal = await agent.chat()
    terminal.type('Change it\r')
    await terminal.shows(/❯ No\n/)
    const shown = await terminal.text()
    expect(shown).toMatch(/\? Needs your approval: replace_text\n/)
    expect(shown).toMatch(/ {4}note: plan\n[^]* {4} one\n {4}-two\n {4}\+2\n {4} three\n/)
    terminal.type('\r')
    await terminal.shows(/✗ Declined · replace_text[^]*It was: [^]*declined/)
  }, 60_000)

  test('takes an arrow and Enter, or a word and Enter', async () => {
    await using agent = await place(approval)
    await using terminal = await agent.chat()
    terminal.type('Change it\r')
    await terminal.shows(/❯ No\n/)
    terminal.type(`${ESC}[B`)
    await terminal.shows(/❯ Yes\n/)
    terminal.type('\r')
    await terminal.shows(/✓ Allowed · replace_text[^]*It was: [^]*changed[^]*sess_\w+$/)
    terminal.type('Once more\r')
    await terminal.shows(/Once more[^]*❯ No\n/)
    terminal.type('yes')
    await terminal.shows(/❯ Yes\n/)
    terminal.type('\r')
    await terminal.shows(/Once more[^]*✓ Allowed/)
  }, 60_000)

  test('does not take a sentence that ends with y for a yes', async () => {
    await using agent = await place(approval)
    await using terminal = await agent.chat()
    terminal.type('Change it\r')
    await terminal.shows(/❯ No\n/)
    terminal.type('why y\r')
    await terminal.shows(/✗ Declined/)
  }, 60_000)

  test('takes the reason of a no', async () => {
    await using agent = await place(approval)
    await using terminal = await agent.chat()
    terminal.type('Change it\r')
    await terminal.shows(/❯ No\n/)
    terminal.type(`${ESC}[A\r`)
    await terminal.shows(/What should it do instead\?/)
    terminal.type('write three\r')
    await terminal.shows(/✗ Declined · replace_text · write three[^]*It was: [^]*write three/)
  }, 60_000)
})

const question = {
  name: 'ask_user',
  arguments: {
    questions: [
      {
        id: 'where',
        text: 'Where to?',
        type: 'choice',
        options: [
          { label: 'Europe', value: 'eu' },
          { label: 'Asia', value: 'ap' },
        ],
      },
      { id: 'why', text: 'Why?' },
    ],
  },
}

test('questions are asked one after another, until an answer fits', async () => {
  await using agent = await place(reply.toolsThenText(question, 'Thank you.'))
  await using terminal = await agent.chat()
  terminal.type('Plan a trip\r')
  await terminal.shows(/Where to\?\n {2}1\. Europe\n {2}2\. Asia/)
  terminal.type('Mars\r')
  await terminal.shows(/Please type a number from 1 to 2/)
  terminal.type('2\r')
  await terminal.shows(/Why\?\n/)
  terminal.type('for fun\r')
  await terminal.shows(/✓ Answered[^]*Thank you\./)
  expect(JSON.stringify(agent.model.requests.at(-1)?.body.messages.at(-1))).toMatch(/ap[^]*for fun/)
}, 60_000)

test('Esc stops the answer, and the next message is answered', async () => {
  const slow = reply.text(
    Array.from({ length: 500 }, (_, at) => `word${at} `),
    { pace: 50 },
  )
  await using agent = await place([slow, reply.text('Here again.')])
  await using terminal = await agent.chat()
  terminal.type('Talk\r')
  await terminal.shows(/word20 /)
  terminal.type(ESC)
  await terminal.shows(/\(stopped\)/)
  expect(agent.model.requests[0]?.aborted).toBe(true)
  terminal.type('And now?\r')
  await terminal.shows(/Here again\./)
  expect(await terminal.text()).not.toContain('word400')
}, 60_000)
