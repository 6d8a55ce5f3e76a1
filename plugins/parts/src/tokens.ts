// What other plugins may use that read and write archives of files: their form, what is refused,
// and what looks like a secret.
export { ContentsReader, LIMITS, type Contents, type PackageFile } from './contents.ts'
export { scanForSecrets, type SecretFinding } from './secret-scan.ts'
export { storedFolder } from './package-store.ts'
export { readTarball } from './tarball.ts'
export { writeTarball } from './write-tarball.ts'
