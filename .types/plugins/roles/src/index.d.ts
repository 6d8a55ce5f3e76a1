/**
 * What somebody may know of and use: `roles/<name>.json`. What their roles do not allow is as if it were not there, in
 * the prompt, in lists, in errors and when it is called.
 */
export declare const roles: import("@amodal/sdk").Plugin;
export default roles;
