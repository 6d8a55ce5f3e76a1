/** Shows the agent its skills: in full while they are few, else by name with a tool to read one. */
export declare const skills: import("@amodal/sdk").Plugin;
export default skills;
