import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test(
  'npm run pack writes each package, and what they are made of',
  { timeout: 300_000 },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'amodal-pack-'))
    try {
      const child = spawn(process.execPath, ['scripts/run.mjs', 'pack', dir], {
        cwd: root,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      expect(await once(child, 'exit')).toEqual([0, null])
      const files = await readdir(dir)
      const packages = [
        '0',
        'kernel',
        'sdk',
        'presets',
        ...(await readdir(join(root, 'plugins'), { withFileTypes: true }))
          .filter((entry) => entry.isDirectory())
          .map(({ name }) => `plugin-${name}`),
      ]
      expect(
        packages.filter(
          (name) =>
            !files.some(
              (file) =>
                file.startsWith(`amodal-${name}${name === '0' ? '.' : '-'}`) &&
                file.endsWith('.tgz'),
            ),
        ),
      ).toEqual([])
      const bill = JSON.parse(await readFile(join(dir, 'sbom.cdx.json'), 'utf8')) as {
        readonly bomFormat: string
        readonly components: readonly { readonly name: string; readonly version: string }[]
      }
      expect(bill.bomFormat).toBe('CycloneDX')
      const names = new Set(bill.components.map(({ name }) => name))
      expect(['hono', 'zod', 'pg', 'undici'].filter((name) => !names.has(name))).toEqual([])
      expect(['oxlint', 'playwright-core'].filter((name) => names.has(name))).toEqual([])
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  },
)
