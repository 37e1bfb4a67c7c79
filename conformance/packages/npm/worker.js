// Runs the functions of a module that is tested. What it throws, but for Skip and Refused, ends this worker.
import { parentPort, workerData } from "node:worker_threads";
import { Refused, Skip } from "./reasons.js";

const subject = await import(workerData);

parentPort.on("message", async ({ name, request }) => {
  request.records = request.records.map((one) => ({ ...one, payload: Buffer.from(one.payload) }));
  if (subject[name] === undefined) return parentPort.postMessage(["skipped", `there is no ${name}`]);
  try {
    parentPort.postMessage(["done", await subject[name](request)]);
  } catch (error) {
    if (error instanceof Skip) parentPort.postMessage(["skipped", error.message]);
    else if (error instanceof Refused) parentPort.postMessage(["refused", error.message]);
    else throw error;
  }
});
parentPort.postMessage(["ready"]);
