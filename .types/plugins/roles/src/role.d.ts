import type { AgentBundle } from '@amodal/sdk';
/** A file of `roles/`, checked: what somebody with this role may know of and use. Names may hold `*`. */
export interface Role {
    readonly name: string;
    readonly tools: readonly string[];
    readonly skills: readonly string[];
    readonly connections: readonly string[];
}
/** The roles of an agent. `given`: it has files of roles, in order or not, so that nobody may do what no role says. */
export interface Roles {
    readonly given: boolean;
    readonly roles: readonly Role[];
}
/** Roles that this bundle has, as this plugin has read them. */
export declare function rolesOf(bundle: AgentBundle): Roles;
/** Reads `roles/<name>.json`. A file that is not in order is no role: whoever has only that one may do nothing. */
export declare function readRoles(bundle: AgentBundle): AgentBundle;
