import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { amodal, folder } from './support.ts'

const agent = { 'amodal.json': { name: 'tiny', userContext: 'You are tiny.' } }

describe('amodal completion', () => {
  test('completes commands, their second words, options and folders in bash', async () => {
    await using here = await folder({ ...agent, 'agents/checker.md': 'You check.' })
    const { code, out } = await amodal(['completion', 'bash', '--dir', here.dir])
    expect(code).toBe(0)
    const script = join(here.dir, 'completion.bash')
    await writeFile(script, out)
    const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
      const line = ['amodal', ...words].map((word) => `'${word}'`).join(' ')
      const typed = `source ${script}; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _amodal; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout } = await promisify(execFile)('bash', ['-c', typed], { cwd: here.dir })
      return stdout.split('\n').filter((word) => word !== '')
    }
    expect(await complete('va')).toEqual(['validate'])
    expect(await complete('')).toEqual(expect.arrayContaining(['add', 'completion', 'ops']))
    expect(await complete('ops', 'au')).toEqual(['audit', 'automations'])
    expect(await complete('ops', 'audit', '--v')).toEqual(expect.arrayContaining(['--verbose']))
    expect(await complete('add', 'connection', 'crm', '--op')).toEqual(['--openapi'])
    expect(await complete('validate', '--skip')).toEqual(['--skip-test'])
    expect(await complete('validate', '--dir', 'ag')).toEqual(['agents'])
  })

  test.each([
    ['zsh', [/^#compdef amodal$/m, /'validate:[^']+'/, /'audit:[^']+'/, /'--openapi:[^']+'/]],
    ['fish', [/-a validate -d '/, /seen_subcommand_from ops' -a audit/, /-l openapi -r/]],
  ] as const)('has commands and options for %s', async (shell, patterns) => {
    await using here = await folder(agent)
    const { code, out } = await amodal(['completion', shell, '--dir', here.dir])
    expect(code).toBe(0)
    for (const pattern of patterns) expect(out).toMatch(pattern)
  })

  test.each([[[]], [['tcsh']], [['bash', 'zsh']]])('%j is refused', async (argv) => {
    expect(await amodal(['completion', ...argv])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/name one shell: bash, zsh, fish/),
    })
  })
})
