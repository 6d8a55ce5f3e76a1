import { join } from 'node:path'
import { Commands } from '@amodal/sdk'
import { expect, it } from 'vitest'
import { folder, kernelFor, terminal } from './support.ts'

const validate = async (dir: string, options = {}) => {
  const command = (await kernelFor(dir)).current().registry(Commands).get('validate')
  const { context, text } = terminal(dir, options)
  return { code: await command?.run(context), text: text() }
}

it('says what a sound folder holds', async () => {
  expect(await validate(await folder({ 'knowledge/a.md': 'a' }))).toEqual({
    code: 0,
    text: '✓ test 0.0.0: 0 skills, 1 knowledge document, 0 stores (0 errors, 0 warnings)',
  })
})

it('prints every problem in its group and fails for errors', async () => {
  const dir = await folder({
    'amodal.json': '{\n"name": "a",\n"versoin": "1"\n}',
    'stores/s.json': '{\n',
    'knowledge/k.md': '',
  })
  expect(await validate(dir)).toEqual({
    code: 1,
    text: [
      'Errors (2)',
      '  knowledge/k.md:1  the document is empty and is left out — write its text below the heading, or delete the file',
      '  stores/s.json:2  an object is not closed — close it with }',
      '',
      'Warnings (1)',
      '  amodal.json:3  `versoin` is not a known field; did you mean `version`? — rename it to `version`',
      '',
      '✗ a 0.0.0: 0 skills, 0 knowledge documents, 0 stores (2 errors, 1 warning)',
    ].join('\n'),
  })
})

it('passes with warnings alone, unless it is strict', async () => {
  const dir = await folder({ 'amodal.json': { name: 'a', zebra: 1 } })
  expect(await validate(dir)).toMatchObject({ code: 0, text: expect.stringContaining('✓ a') })
  expect(await validate(dir, { strict: true })).toMatchObject({
    code: 1,
    text: expect.stringContaining('✗ a 0.0.0'),
  })
})

it('says so where nothing can be loaded', async () => {
  const dir = await folder({ 'amodal.json': { name: 'a', preset: 'env:WHICH' } })
  const { code, text } = await validate(dir)
  expect(code).toBe(1)
  expect(text).toContain(
    '  amodal.json:3  the variable WHICH is not set (`preset`) — set WHICH in the environment or in .env',
  )
  expect(text).toContain(`✗ ${dir} cannot be loaded (1 error, 0 warnings)`)
  expect((await validate(join(dir, 'nowhere'))).text).toContain('ENOENT')
})

it('prints JSON for programs', async () => {
  const { code, text } = await validate(await folder({ 'stores/s.json': '[]' }), { json: true })
  expect(code).toBe(1)
  expect(JSON.parse(text)).toMatchObject({
    ok: false,
    agent: { name: 'test', stores: 0 },
    errors: 1,
    warnings: 0,
    issues: [{ file: 'stores/s.json', line: 1, severity: 'error' }],
  })
})
