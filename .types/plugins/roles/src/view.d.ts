import { type Logger, type RoleView } from '@amodal/sdk';
export interface ViewOptions {
    readonly defaultRole: string | undefined;
    /** Tools that every role may use. */
    readonly always: readonly string[];
    readonly log: Logger;
}
/** Makes each view of a bundle once, so that prompts are compiled once for each set of roles. */
export declare function roleView({ defaultRole, always, log }: ViewOptions): RoleView;
