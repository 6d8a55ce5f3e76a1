/** The tools of the agent's folder: handlers in processes of their own, and requests without any code. */
export declare const toolsCustom: import("@amodal/sdk").Plugin;
export default toolsCustom;
