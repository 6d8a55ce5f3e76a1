import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  err,
  KERNEL_API,
  ok,
  trySync,
  type Capabilities,
  type Failure,
  type Result,
} from '@amodal/kernel'
import { failure } from '@amodal/sdk'
import { z } from 'zod'

const IDS = z.array(z.string()).default([])

/**
 * What the `package.json` of a plugin says of it under `amodal`, so that what does not fit is told
 * before its code is loaded.
 */
const PluginManifest = z.looseObject({
  /** The name that it has in a list. */
  plugin: z.string().min(1),
  /** The plugin API that it was made for. */
  kernel: z.int().min(1),
  /** All that it does, by ids; anything where it is left out. */
  capabilities: z
    .strictObject({
      requires: IDS,
      provides: IDS,
      decorates: IDS,
      taps: IDS,
      adds: IDS,
    })
    .optional(),
})
const PackageJson = z.looseObject({ amodal: PluginManifest.optional() })

/**
 * Refuses a plugin by what its package says.
 *
 * @param name what amodal.json calls it
 * @param entry the file that would be loaded
 * @returns what it says that its plugin does; `KERNEL_VERSION` where it is made for another kernel;
 *   `NOT_A_PLUGIN` where it says of itself what nobody can read. A package that says nothing is
 *   loaded.
 */
export function checkManifest(
  name: string,
  entry: string,
): Result<Capabilities | undefined, Failure> {
  const file = packageJsonOf(entry)
  if (file === undefined) return ok(undefined)
  const read = trySync(
    (): unknown => JSON.parse(readFileSync(file, 'utf8')),
    () => undefined,
  )
  if (!read.ok) return ok(undefined) // whoever loads it says so
  const said = PackageJson.safeParse(read.value)
  if (!said.success) {
    const [issue] = said.error.issues
    const where = issue?.path.join('.') ?? 'amodal'
    return err(
      failure('NOT_A_PLUGIN', `"${name}": \`${where}\` in ${file}: ${issue?.message ?? ''}`),
    )
  }
  const { amodal } = said.data
  if (amodal === undefined || amodal.kernel === KERNEL_API) return ok(amodal?.capabilities)
  const next = amodal.kernel > KERNEL_API ? 'update amodal' : 'install a newer version of it'
  return err(
    failure(
      'KERNEL_VERSION',
      `"${name}" is made for kernel ${amodal.kernel}, and this one is ${KERNEL_API}: ${next}`,
    ),
  )
}

function packageJsonOf(entry: string): string | undefined {
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) return file
    if (folder === dirname(folder)) return undefined
  }
}
