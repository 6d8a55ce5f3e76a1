import type { CommandContext } from '@amodal/sdk'

/** Findings about a package by code, each with a default next step. */
export const FINDINGS = {
  NOT_INSTALLED: 'install the package beside amodal.json',
  NO_MANIFEST: 'ask its author to run `amodal plugins manifest --write`',
  NOT_A_PLUGIN: 'ask its author to run `amodal plugins manifest --write`',
  PACKAGE_NAME: 'ask its author to call it amodal-plugin-NAME or @SCOPE/amodal-plugin-NAME',
  KERNEL_VERSION:
    'install a version that was made for this amodal, or list it with --ignore-compat',
  PEER_RANGE: 'install a version that was made for this amodal, or list it with --ignore-compat',
  DUPLICATE_NAME: 'list one of the two only, or have the author of one rename it',
  DUPLICATE_PACKAGE: 'run `npm dedupe`, or ask its author to name it under peerDependencies',
  INSTALL_SCRIPT: 'ask its author for a release without install scripts',
  UNDECLARED: 'ask its author to declare it under `reaches`, or accept it: --allow-undeclared',
  OBFUSCATED: 'do not install it: its code cannot be reviewed',
  CHECKED_BY_NOBODY: 'read the places named here',
  PLUGIN_DRIFT: 'install the accepted version again, or accept what is installed now',
  CAPABILITIES_CHANGED: 'read what changed, and accept it with `amodal plugins add`',
  NOT_LOCKED: 'accept it with `amodal plugins add NAME --no-install`',
  LOCK_STALE: 'run `amodal plugins remove NAME`',
  MANIFEST_DRIFT: 'ask its author to run `amodal plugins manifest --write`',
  SECRET_MISSING: 'set the variable in the environment or in .env',
  START_FAILED: 'see the message: it names the plugin and the next step',
} as const

export interface Finding {
  readonly code: string
  /** An error refuses the plugin, or makes the exit code 1; a warning is only printed. */
  readonly severity: 'error' | 'warning'
  /** The package; `amodal.json` where it is about the list. */
  readonly package: string
  readonly message: string
  readonly fix: string
}

/**
 * @param fix replaces the default next step of the code
 */
export const finding = (
  code: keyof typeof FINDINGS,
  severity: Finding['severity'],
  name: string,
  message: string,
  fix: string = FINDINGS[code],
): Finding => ({ code, severity, package: name, message, fix })

export const hasErrors = (findings: readonly Finding[]): boolean =>
  findings.some(({ severity }) => severity === 'error')

/** Prints two lines for each finding: what is wrong, and what to do. */
export function report(findings: readonly Finding[], print: CommandContext['print']): void {
  for (const { code, severity, message, fix } of findings) {
    print(`${severity === 'error' ? '✗' : '!'} ${code}  ${message}`)
    print(`    fix: ${fix}`)
  }
}
