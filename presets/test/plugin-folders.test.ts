import { z } from 'zod'
import { expect, test } from 'vitest'
import { arrange } from '../src/config/arrange.ts'
import { dev } from '../src/dev.ts'
import { production } from '../src/production.ts'

test.each([dev, production])('every plugin that works in a folder is given it', async (preset) => {
  const entries = await arrange(preset.entries, { dir: '/agent', env: {} })
  const places = entries.flatMap((entry) => {
    if (entry.kind === 'without') return []
    const { name, config } = entry.plugin
    if (!(config instanceof z.ZodObject) || !('dir' in config.shape)) return []
    const given = entry.config as { readonly dir?: unknown } | undefined
    return [{ name, dir: given?.dir }]
  })
  expect(places.length).toBeGreaterThan(8)
  expect(places.filter(({ dir }) => dir !== '/agent')).toEqual([])
})
