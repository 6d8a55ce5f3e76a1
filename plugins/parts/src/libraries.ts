import { createRequire } from 'node:module'
import type * as Diff from 'diff'
import type * as Semver from 'semver'
import type * as Tar from 'tar'
import type * as Yaml from 'yaml'

// Loaded when they are used: a server that installs nothing needs none of them, and they have more
// files than all plugins of a preset.
const load = createRequire(import.meta.url)

export const diff = (): typeof Diff => load('diff') as typeof Diff
export const semver = (): typeof Semver => load('semver') as typeof Semver
export const tar = (): typeof Tar => load('tar') as typeof Tar
export const yaml = (): typeof Yaml => load('yaml') as typeof Yaml
