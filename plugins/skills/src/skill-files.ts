import type { AgentBundle, BundleFile, Skill } from '@amodal/sdk'

/** Names of files that may hold secrets: their content is never returned to a model. */
const SECRET =
  /(?:^|\/)(?:credentials?|secrets?|id_(?:rsa|dsa|ecdsa|ed25519))(?:\.[^/]*)?$|\.(?:pem|key|p12|pfx|jks|keystore)$/i

/**
 * Files beside a skill's own, by their paths below its folder. Only a skill with a folder has some.
 */
export function filesOf(
  { skills, files, unrestricted: whole }: AgentBundle,
  skill: Skill,
): ReadonlyMap<string, BundleFile> {
  const folder = folderOf(skill)
  if (folder === undefined) return new Map()
  // A skill inside of this one has a folder of its own, also where it is not to be seen.
  const inner = (whole?.skills ?? skills)
    .flatMap((other) => folderOf(other) ?? [])
    .filter((other) => other !== folder && other.startsWith(folder))
  const own = files.filter(
    ({ path }) =>
      path.startsWith(folder) &&
      !SECRET.test(path) &&
      !inner.some((other) => path.startsWith(other)),
  )
  return new Map(own.map((file) => [file.path.slice(folder.length), file]))
}

const folderOf = ({ file }: Skill): string | undefined =>
  /\/SKILL\.md$/i.test(file) ? file.slice(0, file.lastIndexOf('/') + 1) : undefined
