#!/usr/bin/env node
// Looks at the version of Node before anything else is loaded: what an old one cannot read ends in
// a SyntaxError that helps nobody. So this file imports nothing, and is written as an old Node can
// read it; everything else is behind the import at its end.

/** As `engines` of package.json says. */
const WANTED = '22.18.0'

const numbersOf = (version: string): readonly number[] => version.split('.').map(Number)
const [major = 0, minor = 0] = numbersOf(process.versions.node)
const [wantedMajor = 0, wantedMinor = 0] = numbersOf(WANTED)

if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) {
  void import('./run.ts')
} else {
  process.stderr.write(
    `amodal needs Node ${WANTED} or newer, and this is Node ${process.versions.node} (${process.execPath}).\n` +
      'Install a newer one from https://nodejs.org, or by a version manager: nvm install 24, fnm install 24, volta install node@24.\n',
  )
  process.exitCode = 1
}
