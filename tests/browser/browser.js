/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drives a headless Chromium over its debugging pipe and says in TAP what the graphs did.
 * Usage: browser.js CHROMIUM FOLDER
 */
"use strict";
const child = require("child_process");
const fs = require("fs");
const path = require("path");

const [chromium, folder] = process.argv.slice(2);
const browser = child.spawn(chromium, [
	"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
	"--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir=" + path.join(folder, "user"),
	"--window-size=1280,800", "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const waiting = new Map();
const listeners = [];
const thrown = [];
let last = 0, tab, answer = null, count = 0, failed = 0;

/* Calls of the protocol, and what comes back. */
function call(method, params) {
	const id = ++last;

	browser.stdio[3].write(JSON.stringify({ id, method, params: params || {}, sessionId: tab }) + "\0");
	return new Promise((resolve, reject) => waiting.set(id, { resolve, reject, method }));
}

function take(message) {
	const waits = waiting.get(message.id);

	if (waits) {
		waiting.delete(message.id);
		if (message.error)
			waits.reject(new Error(waits.method + ": " + message.error.message));
		else
			waits.resolve(message.result);
		return;
	}
	if (message.method === "Runtime.exceptionThrown")
		thrown.push(message.params.exceptionDetails.exception.description);
	if (message.method === "Page.javascriptDialogOpening")
		call("Page.handleJavaScriptDialog", { accept: answer !== null, promptText: answer || "" });
	for (const listener of listeners.splice(0))
		if (!listener(message))
			listeners.push(listener);
}

let rest = "";
browser.stdio[4].on("data", (data) => {
	const parts = (rest + data).split("\0");

	rest = parts.pop();
	parts.forEach((part) => take(JSON.parse(part)));
});

function event(method) {
	return new Promise((resolve) => listeners.push((message) => {
		if (message.method === method)
			resolve(message.params);
		return message.method === method;
	}));
}

async function run(expression) {
	const result = await call("Runtime.evaluate", { expression, returnByValue: true });

	if (result.exceptionDetails)
		throw new Error(result.exceptionDetails.exception.description);
	return result.result.value;
}

async function open(file, hash) {
	const loaded = event("Page.loadEventFired");

	await call("Page.navigate", { url: "about:blank" });
	await loaded;
	const again = event("Page.loadEventFired");
	await call("Page.navigate", { url: "file://" + path.join(folder, file) + (hash || "") });
	await again;
}

async function size(width) {
	await call("Emulation.setDeviceMetricsOverride",
		{ width, height: 800, deviceScaleFactor: 1, mobile: false });
	/* The page hears of it before the next frame is drawn. */
	await call("Runtime.evaluate",
		{ expression: "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
			awaitPromise: true });
}

/* What the page's frames look like now, in pixels. */
const look = `(() => {
	window.frame_of = (name) => Array.from(document.querySelectorAll("#frames>g")).find((g) =>
		g.querySelector("title").textContent.startsWith(name + " ("));
	window.look = (name) => {
		const g = frame_of(name), box = g.querySelector("rect").getBoundingClientRect();
		const text = g.querySelector("text");
		return { left: box.left, width: box.width, top: box.top, height: box.height,
			shown: getComputedStyle(g).display !== "none", label: text.textContent,
			state: g.getAttribute("class"), fill: g.querySelector("rect").getAttribute("fill") };
	};
	window.said = (id) => document.getElementById(id).textContent;
	window.overflows = () => Array.from(document.querySelectorAll("#frames>g")).filter((g) => {
		const text = g.querySelector("text");
		return text.textContent && getComputedStyle(g).display !== "none" &&
			text.getComputedTextLength() > g.querySelector("rect").getBoundingClientRect().width;
	}).length;
})()`;

async function mouse(type, x, y) {
	await call("Input.dispatchMouseEvent",
		{ type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
}

async function click_at(box) {
	const x = box.left + box.width / 2, y = box.top + box.height / 2;

	await mouse("mouseMoved", x, y);
	await mouse("mousePressed", x, y);
	await mouse("mouseReleased", x, y);
}

async function click(name) {
	await click_at(await run("look(" + JSON.stringify(name) + ")"));
}

async function click_button(id) {
	await click_at(await run(`(() => { const b = document.getElementById("${id}").getBoundingClientRect();
		return { left: b.left, top: b.top, width: b.width, height: b.height }; })()`));
}

async function press(key, code, modifiers) {
	const stroke = { key, windowsVirtualKeyCode: code, modifiers: modifiers || 0 };

	await call("Input.dispatchKeyEvent", Object.assign({ type: "rawKeyDown" }, stroke));
	await call("Input.dispatchKeyEvent", Object.assign({ type: "keyUp" }, stroke));
}

/* Asks for a search by a key; the dialog gets the text. */
async function search(text, key, code, modifiers) {
	answer = text;
	await press(key || "F3", code || 114, modifiers);
	answer = null;
}

async function shot(name) {
	if (!process.env.WEIR_SHOTS)
		return;
	const picture = await call("Page.captureScreenshot", { format: "png" });
	fs.writeFileSync(path.join(process.env.WEIR_SHOTS, name + ".png"), Buffer.from(picture.data, "base64"));
}

function near(a, b) {
	return Math.abs(a - b) <= 1.5;
}

function ok(name, good, seen) {
	count++;
	console.log((good ? "ok " : "not ok ") + count + " - " + name);
	if (good)
		return;
	failed++;
	console.log("# " + JSON.stringify(seen));
}

async function test_small() {
	let all, seen, reset;

	await size(1280);
	await open("small.svg");
	await run(look);
	all = await run('look("all")');
	ok("the graph is as wide as the window", near(all.width, 1260), all);
	seen = await run('look("alpha")');
	ok("a frame has its share", near(seen.width, 504) && seen.label === "alpha", seen);
	ok("labels stay within their frames", await run("overflows()") === 0);
	seen = await run('look("main")');
	await mouse("mouseMoved", seen.left + 5, seen.top + 5);
	seen = await run('said("details")');
	ok("the line at the foot tells what the pointer is on", seen === "main (80 samples, 80.00 %)", seen);
	await shot("small");

	await click("alpha");
	seen = await run('[look("alpha"), look("main"), look("beta"), look("hot_call<T>&x"), location.hash]');
	ok("a click zooms to the whole width", near(seen[0].width, 1260) && near(seen[3].width, 1260), seen);
	ok("... what is below stays, dimmed", near(seen[1].width, 1260) && seen[1].state === "f under", seen[1]);
	ok("... all else is hidden", !seen[2].shown, seen[2]);
	ok("... and the address tells it", /x=20&w=40&d=3/.test(seen[4]), seen[4]);
	await shot("zoomed");
	reset = await run("location.href");
	await click_button("reset");
	seen = await run('[look("alpha"), look("beta"), location.hash]');
	ok("Reset zoom shows all again", near(seen[0].width, 504) && seen[1].shown && !/x=/.test(seen[2]), seen);
	await click("beta");
	await click("all");
	seen = await run('look("alpha")');
	ok("a click on all does so, too", near(seen.width, 504), seen);
	await open("small.svg", reset.slice(reset.indexOf("#")));
	await run(look);
	seen = await run('look("alpha")');
	ok("an address that tells of a zoom opens so", near(seen.width, 1260), seen);
}

async function test_new_tab() {
	let seen;

	await open("small.svg", "#s=hot");
	await run(look);
	seen = await run(`(() => { let opened = null; window.open = (url) => { opened = url; };
		frame_of("alpha").querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: true }));
		return [opened, look("beta").shown]; })()`);
	ok("Ctrl and a click show the frame in a tab of its own", /#x=20&w=40&d=3&s=hot$/.test(seen[0]), seen);
	ok("... and this one stays as it is", seen[1], seen);
}

async function test_search() {
	let seen;

	await open("small.svg");
	await run(look);
	await search("hot", "f", 70, 2);
	seen = await run('[said("matched"), look("hot_call<T>&x").fill, look("Hot2").fill, location.hash]');
	ok("Ctrl-F searches: frames are marked", seen[1] === "rgb(230,0,230)" && seen[2] !== seen[1], seen);
	ok("... their share is told", seen[0] === "Matched: 60.0%", seen[0]);
	ok("... and the address has it", /s=hot/.test(seen[3]), seen[3]);
	await shot("searched");
	await click_button("case");
	seen = await run('[said("matched"), said("case")]');
	ok("a click lets letters of any case match", seen[0] === "Matched: 80.0%" && seen[1] === "Any case", seen);
	await press("i", 73, 2);
	seen = await run('said("matched")');
	ok("... Ctrl-I goes back", seen === "Matched: 60.0%", seen);
	await search("^(main|hot)");
	seen = await run('said("matched")');
	ok("F3 searches; a match within a match counts once", seen === "Matched: 80.0%", seen);
	await click("beta");
	await search("hot");
	seen = await run('said("matched")');
	ok("shares are of what is shown", seen === "Matched: 100.0%", seen);
	await search("(");
	seen = await run('said("details")');
	ok("an expression that is none is told", /^Search: /.test(seen), seen);
	await press("Escape", 27);
	seen = await run('[said("matched"), look("hot_call<T>&x").fill]');
	ok("Escape ends the search", seen[0] === "" && seen[1] !== "rgb(230,0,230)", seen);
	await open("small.svg", "#s=HOT&i=1");
	await run(look);
	seen = await run('said("matched")');
	ok("an address that tells of a search opens so", seen === "Matched: 80.0%", seen);
}

async function test_resize() {
	let seen;

	await open("real.svg");
	await run(look);
	await shot("real");
	for (const width of [900, 640, 1500]) {
		await size(width);
		seen = await run('[look("all").width, overflows()]');
		ok("at a width of " + width + " the graph follows, and labels fit",
			near(seen[0], width - 20) && seen[1] === 0, seen);
		if (width === 640)
			await shot("narrow");
	}
	await size(1280);
	await open("icicle.svg");
	await run(look);
	seen = await run('[look("all").top, look("main").top, said("title"), said("subtitle")]');
	ok("an icicle graph grows downwards", seen[0] < seen[1], seen);
	ok("titles are as given", seen[2] === "Icicle <&> graph" && seen[3] === "of a test", seen);
	await shot("icicle");
}

async function test_large() {
	let seen;

	await open("deep.svg");
	await run(look);
	seen = await run('[document.querySelectorAll("#frames>g").length, document.documentElement.getBBox().height,' +
		' look("leaf").width, look("leaf").label]');
	ok("a stack of 32,768 frames is drawn", seen[0] === 32769 && seen[1] > 32769 * 16 && seen[3] === "leaf", seen);
	await run('frame_of("leaf").querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }))');
	seen = await run("location.hash");
	ok("... and can be zoomed", /d=32768/.test(seen), seen);
	await search("leaf");
	seen = await run('said("matched")');
	ok("... and searched", seen === "Matched: 100.0%", seen);

	await open("wide.svg");
	await run(look);
	seen = await run('document.querySelectorAll("#frames>g").length');
	ok("100,002 frames are drawn", seen === 100002, seen);
	await search("^f[0-4]");
	seen = await run('said("matched")');
	/* f0, and four of nine with each number of digits. */
	ok("... and searched", seen === "Matched: 44.4%", seen);
	await run('frame_of("f777").querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }))');
	seen = await run('[look("f777").width, look("f778").shown, look("f777").label]');
	ok("... and zoomed", near(seen[0], 1260) && !seen[1] && seen[2] === "f777", seen);
}

async function main() {
	const target = await call("Target.createTarget", { url: "about:blank" });
	const attached = await call("Target.attachToTarget", { targetId: target.targetId, flatten: true });

	tab = attached.sessionId;
	await call("Page.enable");
	await call("Runtime.enable");
	await test_small();
	await test_new_tab();
	await test_search();
	await test_resize();
	await test_large();
	ok("no script has thrown anything", thrown.length === 0, thrown);
}

main().catch((error) => ok("the script ran to its end", false, String(error.stack))).finally(() => {
	console.log("1.." + count);
	browser.kill();
	browser.on("exit", () => process.exit(failed ? 1 : 0));
});
