import { trySync, type Command, type Failure, type Result } from '@amodal/sdk'
import { z } from 'zod'

const Outdated = z.record(
  z.string(),
  z.looseObject({ current: z.string().optional(), wanted: z.string(), latest: z.string() }),
)

/** `amodal plugins outdated` */
export const outdatedCommand: Command = {
  summary: 'Say which plugins have a newer version',
  usage: 'amodal plugins outdated [--dir PATH]',
  about: [
    'Asks the registry of npm about the packages that amodal.json lists. Exit code 1 where one is outdated.',
  ],
  examples: [['amodal plugins outdated --dir my-agent', 'name, what is installed, what there is']],
  options: {},
  async run(context) {
    const { dir, print, fail } = context
    const { ManifestEdit } = await import('./manifest-edit.ts')
    const { installed, isPackageName } = await import('./installed.ts')
    const { npm } = await import('./npm.ts')
    const manifest = await ManifestEdit.open(dir)
    if (!manifest.ok) {
      fail(manifest.error.message)
      return 1
    }
    const names = manifest.value.named.filter((name) => name !== undefined && isPackageName(name))
    const packages = (
      await Promise.all(
        names.map(async (name = '') => ((await installed(name, dir)) ? [name] : [])),
      )
    ).flat()
    if (packages.length === 0) {
      print('amodal.json lists no package of npm.')
      return 0
    }
    const result = await npm(['outdated', '--json', '--', ...packages], context)
    const read = outdatedIn(result)
    if (!read) {
      fail(result.ok ? 'npm outdated gave no list' : result.error.message)
      return 1
    }
    const found = Object.entries(read)
    for (const [name, { current = 'missing', latest }] of found)
      print(`${name}  ${current} → ${latest}`)
    if (found.length === 0) print('All are up to date.')
    return found.length === 0 ? 0 : 1
  },
}

/** npm exits with 1 where something is outdated. */
function outdatedIn(result: Result<string, Failure>): z.output<typeof Outdated> | undefined {
  const out = result.ok ? result.value : result.error.details?.['out']
  const text = typeof out === 'string' ? out : ''
  const json = trySync(
    (): unknown => JSON.parse(text.trim() === '' ? '{}' : text),
    () => undefined,
  )
  const parsed = Outdated.safeParse(json.ok ? json.value : undefined)
  return parsed.success && (result.ok || text.trim() !== '') ? parsed.data : undefined
}
