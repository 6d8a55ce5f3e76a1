import { type Failure, type Result } from '@amodal/sdk';
import type { AgentConfig, User } from './create-agent.ts';
/** Refuses what nothing reads: in JavaScript, and in a value that was made elsewhere, no compiler does. */
export declare function checkConfig(config: AgentConfig): Result<void, Failure>;
/** The same of a person. A mistyped `roles` would be none, and a mistyped `tenant` everybody's. */
export declare const checkUser: (user: User) => Result<void, Failure>;
