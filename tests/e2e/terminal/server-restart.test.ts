import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { Amodal, serve } from '../server.ts'
import { PseudoTerminal } from './pseudo-terminal.ts'
import { answerIn, place, READY, USUAL, wordsOf } from './talking.ts'

const words = Array.from({ length: 120 }, (_, at) => `word${at}${at % 20 === 19 ? '.\n\n' : ' '}`)

test('an answer that a restart of the server interrupts is completed, and shown once', async () => {
  await using agent = await place(reply.text(words, { pace: 40 }))
  await using first = await serve(agent.dir, agent.env)
  const port = new URL(first.url).port
  await using terminal = new PseudoTerminal(
    ['chat', '--dir', agent.dir, '--url', first.url],
    USUAL,
    agent.env,
  )
  await terminal.shows(READY)
  terminal.type('Count\r')
  await terminal.shows(/word45 /)
  await first.process.kill('SIGKILL')
  await terminal.shows(/The server cannot be reached/)
  const second = new Amodal(['dev', '--dir', agent.dir, '--port', port], agent.env)
  try {
    await second.says(/Health/)
    await terminal.shows(/word119\.[^]*sess_\w+$/)
    expect(wordsOf(answerIn(await terminal.text(), 'Count'))).toBe(wordsOf(words.join('')))
    terminal.type('Once more\r')
    await terminal.shows(/Once more[^]*word119\./)
  } finally {
    await second.kill('SIGKILL')
  }
}, 120_000)
