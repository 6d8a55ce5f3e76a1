/**
 * Keeps what came from outside from choosing what is done outside: whom a write goes to, where, how much, what is run.
 * Such a call waits for a person, who sees where each value is from.
 */
export declare const guardTaint: import("@amodal/sdk").Plugin;
export default guardTaint;
