import { KERNEL_API, type Command, type CommandContext, type Inspection } from '@amodal/sdk'
import { inspectionOf } from '@amodal/sdk/inspection'
import { installed, isPackageName } from './installed.ts'
import { ManifestEdit } from './manifest-edit.ts'

/** `amodal plugins doctor` */
export const doctorCommand: Command = {
  summary: 'Check the plugins that amodal.json lists',
  usage: 'amodal plugins doctor [--dir PATH]',
  about: [
    'Whether each is installed, is made for this kernel, and is what its package.json says; and whether the agent starts with them. Exit code 1 where something is wrong.',
  ],
  examples: [['amodal plugins doctor --dir my-agent', 'every problem, with what to do']],
  options: {},
  async run(context) {
    const { dir, print, fail, wiring = [] } = context
    const manifest = await ManifestEdit.open(dir)
    if (!manifest.ok) {
      fail(manifest.error.message)
      return 1
    }
    const names = manifest.value.named.filter((name) => name !== undefined)
    const running = wiring.length === 0 ? await inspected(context) : undefined
    const problems = (await Promise.all(names.map((name) => problemsOf(name, dir, running)))).flat()
    for (const { file, line, message, fix } of wiring)
      problems.push(
        `${file}${line === undefined ? '' : `:${line}`}  ${message}${fix === undefined ? '' : `; ${fix}`}`,
      )
    for (const problem of problems) print(`✗ ${problem}`)
    if (problems.length === 0)
      print(
        names.length === 0
          ? 'amodal.json lists no plugins of its own.'
          : `Nothing is wrong with: ${names.join(', ')}.`,
      )
    return problems.length === 0 ? 0 : 1
  },
}

const inspected = async ({ start }: CommandContext): Promise<Inspection> =>
  inspectionOf(await start({ without: ['http'], looking: true }))

async function problemsOf(
  name: string,
  dir: string,
  running: Inspection | undefined,
): Promise<readonly string[]> {
  if (!isPackageName(name)) return []
  const found = await installed(name, dir)
  if (!found) return [] // one that amodal brings, or one that the wiring names as missing
  const { amodal, version } = found
  if (!amodal)
    return [
      `${name} ${version} does not say what it is: its author adds \`amodal\` to its package.json`,
    ]
  const own = running?.plugins.find(({ source }) => source === name)
  const isOther = own !== undefined && (own.plugin ?? own.name) !== amodal.plugin
  return [
    ...(amodal.kernel === KERNEL_API
      ? []
      : [
          `${name} ${version} is made for kernel ${amodal.kernel}, and this one is ${KERNEL_API}: npm install ${name}@latest, or another amodal`,
        ]),
    ...(isOther
      ? [
          `${name} ${version} says that it is "${amodal.plugin}", and its code that it is "${own.plugin ?? own.name}": its author mends one of the two`,
        ]
      : []),
  ]
}
