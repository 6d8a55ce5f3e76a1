import { err, isObject, ok, type Json, type Result } from '@amodal/sdk'
import { parseJson } from '@amodal/sdk/files'
import { z } from 'zod'
import { textOfFile, type Contents } from './contents.ts'
import { capabilityLists } from './capability-lists.ts'
import { semver } from './libraries.ts'

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]{0,200}$/
/** Marks a package of parts on a registry. */
export const KEYWORD = 'amodal-parts'

/** Whether a text is a name that npm accepts. */
export const isPackageName = (name: string): boolean => name.length <= 214 && NAME.test(name)

const manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string().exactOptional(),
  license: z.string().exactOptional(),
  keywords: z.array(z.string()).default([]),
  dependencies: z.record(z.string(), z.string()).default({}),
  scripts: z.record(z.string(), z.string()).default({}),
  amodal: z
    .looseObject({
      plugin: z.string().exactOptional(),
      capabilities: capabilityLists.partial().exactOptional(),
    })
    .exactOptional(),
})
/** What package.json says of a package. */
export type PackageManifest = z.output<typeof manifest>

/** Whether package.json marks a package of parts. */
export const isPartsManifest = (value: Json | undefined): boolean => {
  if (!isObject(value)) return false
  const { keywords, amodal } = value
  return (
    (Array.isArray(keywords) && keywords.includes(KEYWORD)) ||
    (isObject(amodal) && amodal['plugin'] === undefined)
  )
}

/** @returns package.json of a package of parts, or why it is none */
export function readPackageManifest(contents: Contents): Result<PackageManifest, string> {
  const file = contents.find(({ path }) => path === 'package.json')
  const text = file && textOfFile(file)
  if (text === undefined) return err('it has no package.json')
  const json = parseJson(text)
  if (!json.ok) return err(`package.json:${json.error[0].line} ${json.error[0].message}`)
  const read = manifest.safeParse(json.value.value)
  if (!read.success) {
    const [issue] = read.error.issues
    return err(`package.json: \`${issue?.path.join('.') ?? ''}\` ${issue?.message ?? ''}`)
  }
  const { name, version, amodal } = read.data
  if (!isPackageName(name)) return err(`package.json: ${JSON.stringify(name)} is no package name`)
  if (semver().valid(version) !== version)
    return err(`package.json: ${JSON.stringify(version)} is no semantic version`)
  if (isPartsManifest(json.value.value)) return ok(read.data)
  return amodal?.plugin === undefined
    ? err(`it is no package of parts: \`keywords\` of package.json lacks "${KEYWORD}"`)
    : err(`it is a plugin: take it with \`amodal plugins add ${name}\``)
}
