import type { Command, CommandContext, Outbound } from '@amodal/sdk'

/** What a command of packages is called with: also the way out, for registries. */
export interface PkgContext extends CommandContext {
  readonly outbound: Outbound
}

/** A command that may ask a registry. */
export interface PkgCommand extends Omit<Command, 'run'> {
  run(context: PkgContext): Promise<number>
}

/** The same command for the registry of commands. */
export const withOutbound = (command: PkgCommand, outbound: Outbound): Command => ({
  ...command,
  run: (context) => command.run({ ...context, outbound }),
})
