import { type HookTaps, type Logger } from '@amodal/sdk';
/** A hook is tapped only where its lines are written: at another level it costs the run nothing. */
export declare function activityHooks({ event, journal, model, run, state, tool }: HookTaps, log: Logger): void;
