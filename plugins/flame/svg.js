/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flame graph's behaviour: zoom, search, details, and a width that follows the window. The address
 * keeps zoom and search behind its '#', so that a link shows what its sender saw.
 */
(function () {
	"use strict";
	var root = document.documentElement;
	var graph = document.getElementById("frames");
	var details = document.getElementById("details");
	var matched = document.getElementById("matched");
	var reset = document.getElementById("reset");
	var search = document.getElementById("search");
	var letters = document.getElementById("case");
	var groups = graph ? graph.getElementsByTagName("g") : [];
	var margin = graph ? Number(graph.getAttribute("x")) : 0;
	var frames = [];
	var zoomed = null;
	var sought = "";
	var pattern = null;
	var fold = false;
	var letter = 7.2;

	function Frame(group) {
		var title = group.children[0].textContent;

		this.group = group;
		this.rect = group.children[1];
		this.text = group.children[2];
		this.fill = this.rect.getAttribute("fill");
		this.title = title;
		this.name = title.slice(0, title.lastIndexOf(" ("));
		this.left = Number(group.getAttribute("data-x"));
		this.width = Number(group.getAttribute("data-w"));
		this.depth = Number(group.getAttribute("data-d"));
		this.state = "in";
		this.hit = false;
		group.frame = this;
	}

	function measure() {
		var sample = document.createElementNS("http://www.w3.org/2000/svg", "text");

		sample.textContent = "aeimnorstuw_:.(";
		graph.appendChild(sample);
		letter = sample.getComputedTextLength() / sample.textContent.length || letter;
		graph.removeChild(sample);
	}

	function pixels() {
		return Math.max(1, (root.clientWidth || root.getBoundingClientRect().width) - 2 * margin);
	}

	/* Letters that a monospace font, or the one that stands in for it, draws twice as wide. */
	function wide(point) {
		return point.codePointAt(0) >= 0x1100 ? 2 : 1;
	}

	/* The text, cut to so many letters' room. */
	function fit(text, room) {
		var end = 0, used = 0, kept = 0, points;

		if (!/[^\0-\x7f]/.test(text))
			return text.length <= room ? text : text.slice(0, room - 2) + "..";
		points = Array.from(text);
		for (; end < points.length && used + wide(points[end]) <= room; end++) {
			used += wide(points[end]);
			if (used <= room - 2)
				kept = end + 1;
		}
		return end === points.length ? text : points.slice(0, kept).join("") + "..";
	}

	function label(frame, share, total) {
		var room = Math.floor((share * total - 6) / letter);

		return room < 3 ? "" : fit(frame.name, room);
	}

	/* The details share their line with the share that matched. */
	function detail_room() {
		return Math.floor(pixels() / letter) - (pattern ? 18 : 0);
	}

	/* What a frame is to the zoomed one: "in" it, "under" it, or "out" of sight. */
	function place(frame) {
		var end = frame.left + frame.width, zoomed_end = zoomed.left + zoomed.width;

		if (frame.depth >= zoomed.depth)
			return frame.left >= zoomed.left && end <= zoomed_end ? "in" : "out";
		return frame.left <= zoomed.left && end >= zoomed_end ? "under" : "out";
	}

	/* Nothing is set that is so already: there may be a hundred thousand of them. */
	function draw_frame(frame, total) {
		var state = place(frame), inside = state === "in";
		var left = inside ? (frame.left - zoomed.left) / zoomed.width : 0;
		var share = inside ? frame.width / zoomed.width : 1;
		var text;

		if (state !== frame.state)
			frame.group.setAttribute("class", "f " + state);
		frame.state = state;
		if (state === "out")
			return;
		if (left !== frame.at || share !== frame.share) {
			frame.rect.setAttribute("x", 100 * left + "%");
			frame.rect.setAttribute("width", 100 * share + "%");
			frame.text.setAttribute("x", 100 * left + "%");
			frame.at = left;
			frame.share = share;
		}
		text = label(frame, share, total);
		if (text !== frame.label)
			frame.text.textContent = frame.label = text;
	}

	function draw() {
		var total = pixels();

		graph.setAttribute("width", total);
		frames.forEach(function (frame) {
			draw_frame(frame, total);
		});
		reset.setAttribute("class", zoomed === frames[0] ? "off" : "button");
	}

	/* The width that matching frames cover together: nested ones count once. */
	function covered(found) {
		var end = -1, sum = 0;

		found.sort(function (a, b) {
			return a.left - b.left || b.width - a.width;
		});
		found.forEach(function (frame) {
			var to = frame.left + frame.width;

			if (to <= end)
				return;
			sum += to - Math.max(frame.left, end);
			end = to;
		});
		return sum;
	}

	function mark() {
		var found = [];

		frames.forEach(function (frame) {
			var hit = Boolean(pattern && frame.depth > 0 && frame.state !== "out" &&
				pattern.test(frame.name));

			if (hit !== frame.hit)
				frame.rect.setAttribute("fill", hit ? "rgb(230,0,230)" : frame.fill);
			frame.hit = hit;
			if (hit && frame.state === "in")
				found.push(frame);
		});
		matched.textContent = pattern ?
			"Matched: " + (100 * covered(found) / zoomed.width).toFixed(1) + "%" : "";
		search.textContent = pattern ? "Reset search" : "Search";
		letters.textContent = fold ? "Any case" : "Exact case";
		letters.setAttribute("class", pattern ? "button" : "off");
	}

	/* What shows a frame, and what is searched for. */
	function address(frame) {
		var state = new URLSearchParams();

		if (frame !== frames[0]) {
			state.set("x", frame.left);
			state.set("w", frame.width);
			state.set("d", frame.depth);
		}
		if (sought)
			state.set("s", sought);
		if (fold)
			state.set("i", "1");
		return window.location.href.split("#")[0] + "#" + state;
	}

	/* Not every viewer lets a file change its address. */
	function remember() {
		try {
			window.history.replaceState(null, "", address(zoomed));
		} catch (error) {
			return;
		}
	}

	function zoom(frame) {
		zoomed = frame;
		draw();
		mark();
	}

	function find(text) {
		try {
			pattern = text ? new RegExp(text, fold ? "i" : "") : null;
			sought = text;
			mark();
		} catch (error) {
			details.textContent = "Search: " + error.message;
		}
	}

	function ask() {
		var text = window.prompt("Search for a function (regular expression)", sought);

		if (text !== null)
			find(text);
		remember();
	}

	function set_case(any) {
		fold = any;
		find(sought);
		remember();
	}

	/* What the address says. A frame that is not there any more is no reason to fail. */
	function restore() {
		var state = new URLSearchParams(window.location.hash.slice(1));

		zoom(frames.find(function (frame) {
			return frame.left === Number(state.get("x")) && frame.depth === Number(state.get("d")) &&
				frame.width === Number(state.get("w"));
		}) || frames[0]);
		fold = state.get("i") === "1";
		find(state.get("s") || "");
	}

	function key(event) {
		if (event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key === "f")) {
			event.preventDefault();
			ask();
		} else if ((event.ctrlKey || event.metaKey) && event.key === "i") {
			event.preventDefault();
			set_case(!fold);
		} else if (event.key === "Escape") {
			find("");
			remember();
		}
	}

	/* The frame that the pointer is on. */
	function frame_at(event) {
		return event.target.parentNode.frame || null;
	}

	function start() {
		var i;

		for (i = 0; i < groups.length; i++)
			frames.push(new Frame(groups[i]));
		if (!frames.length)
			return;
		root.removeAttribute("viewBox");
		root.setAttribute("width", "100%");
		measure();
		graph.addEventListener("click", function (event) {
			var frame = frame_at(event);

			if (frame && (event.ctrlKey || event.metaKey)) {
				window.open(address(frame), "_blank");
			} else if (frame) {
				zoom(frame);
				remember();
			}
		});
		graph.addEventListener("mouseover", function (event) {
			var frame = frame_at(event);

			details.textContent = frame ? fit(frame.title, detail_room()) : "";
		});
		graph.addEventListener("mouseout", function () {
			details.textContent = "";
		});
		reset.addEventListener("click", function () {
			zoom(frames[0]);
			remember();
		});
		search.addEventListener("click", function () {
			if (!pattern) {
				ask();
				return;
			}
			find("");
			remember();
		});
		letters.addEventListener("click", function () {
			set_case(!fold);
		});
		window.addEventListener("keydown", key);
		window.addEventListener("resize", draw);
		window.addEventListener("hashchange", restore);
		restore();
	}

	start();
})();
