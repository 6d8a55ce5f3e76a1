import { BundleSource, explain, Kernel, use } from '@amodal/sdk'
import { expect, it } from 'vitest'
import { repoFiles } from '../src/index.ts'
import { folder, kernelFor } from './support.ts'

it('is the source of the bundle, read anew on each load', async () => {
  const dir = await folder({
    'amodal.json': { name: 'a', proactive: { webhook: 'env:HOOK' } },
    'knowledge/a.md': 'a',
  })
  const source = (await kernelFor(dir, { HOOK: 'https://hooks.example.com' })).scope.get(
    BundleSource,
  )
  const [one, two] = [
    await source.load(AbortSignal.timeout(5_000)),
    await source.load(AbortSignal.timeout(5_000)),
  ]
  expect(source.where).toBe(dir)
  expect(one).toMatchObject({
    ok: true,
    value: { knowledge: [{ name: 'a' }], references: [{ name: 'HOOK', set: true }] },
  })
  expect(one.ok && two.ok && one.value.hash === two.value.hash && one.value !== two.value).toBe(
    true,
  )
})

it('fails with code and issues where the folder cannot be loaded', async () => {
  const source = (
    await kernelFor(
      await folder({ 'amodal.json': { name: 'a', proactive: { webhook: 'env:HOOK' } } }),
    )
  ).scope.get(BundleSource)
  expect(await source.load(AbortSignal.timeout(5_000))).toMatchObject({
    ok: false,
    error: {
      code: 'ENV_NOT_SET',
      message: expect.stringContaining('amodal.json:4  the variable HOOK is not set'),
      issues: [{ line: 4, severity: 'error' }],
    },
  })
})

it('needs secrets, and the folder as config', async () => {
  const made = await Kernel.create([use(repoFiles)])
  if (made.ok) throw new Error('it started')
  expect(explain(made.error)).toMatch(/secrets[^]*dir|dir[^]*secrets/)
})
