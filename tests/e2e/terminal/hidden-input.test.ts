import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentFolder } from '../../support/agent-folder.ts'
import { PseudoTerminal } from './pseudo-terminal.ts'

const SIZE = { columns: 80, rows: 24 }
const BACKSPACE = '\u007f'
const INTERRUPT = '\u0003'

test('a secret that is typed is not shown', async () => {
  await using agent = await agentFolder({ 'amodal.json': '{ "name": "shop" }' })
  const argv = ['ops', 'secrets', 'set', 'CRM_TOKEN', '--dir', agent.dir]
  await using terminal = new PseudoTerminal(argv, SIZE)
  await terminal.shows(/Value of CRM_TOKEN:/)
  terminal.type(`tok-12x${BACKSPACE}34\r`)
  await terminal.shows(/CRM_TOKEN is in /)
  expect(await terminal.ended).toBe(0)
  expect(terminal.raw).not.toContain('tok-')
  expect(await readFile(join(agent.dir, '.env'), 'utf8')).toBe('CRM_TOKEN=tok-1234\n')
}, 60_000)

test('whoever gives up changes nothing, and gets the terminal back', async () => {
  await using agent = await agentFolder({ 'amodal.json': '{ "name": "shop" }', '.env': 'A=1\n' })
  const argv = ['ops', 'secrets', 'set', 'A', '--dir', agent.dir]
  await using terminal = new PseudoTerminal(argv, SIZE)
  await terminal.shows(/Value of A:/)
  terminal.type(`abc${INTERRUPT}`)
  await terminal.shows(/nothing was entered/)
  expect(await terminal.ended).toBe(1)
  expect(await readFile(join(agent.dir, '.env'), 'utf8')).toBe('A=1\n')
}, 60_000)
