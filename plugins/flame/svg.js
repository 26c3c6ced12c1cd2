/* SPDX-License-Identifier: BSD-2-Clause */
/* A flame graph's behaviour: zoom, search, details, and a width that follows the window. */
(function () {
	"use strict";
	var root = document.documentElement;
	var graph = document.getElementById("frames");
	var details = document.getElementById("details");
	var matched = document.getElementById("matched");
	var reset = document.getElementById("reset");
	var search = document.getElementById("search");
	var groups = graph ? graph.getElementsByTagName("g") : [];
	var margin = graph ? Number(graph.getAttribute("x")) : 0;
	var frames = [];
	var zoomed = null;
	var pattern = null;
	var letter = 7.2;

	function Frame(group) {
		var title = group.getElementsByTagName("title")[0].textContent;

		this.group = group;
		this.rect = group.getElementsByTagName("rect")[0];
		this.text = group.getElementsByTagName("text")[0];
		this.fill = this.rect.getAttribute("fill");
		this.title = title;
		this.name = title.slice(0, title.lastIndexOf(" ("));
		this.left = Number(group.getAttribute("data-x"));
		this.width = Number(group.getAttribute("data-w"));
		this.depth = Number(group.getAttribute("data-d"));
		this.state = "in";
	}

	function measure() {
		var sample = document.createElementNS("http://www.w3.org/2000/svg", "text");

		sample.textContent = "mmmmmmmmmm";
		graph.appendChild(sample);
		letter = sample.getComputedTextLength() / 10 || letter;
		graph.removeChild(sample);
	}

	function pixels() {
		return Math.max(1, (root.clientWidth || root.getBoundingClientRect().width) - 2 * margin);
	}

	function label(frame, share, total) {
		var room = Math.floor((share * total - 6) / letter);
		var points;

		if (room < 3)
			return "";
		if (frame.name.length <= room)
			return frame.name;
		points = Array.from(frame.name);
		return points.length <= room ? frame.name : points.slice(0, room - 2).join("") + "..";
	}

	/* What a frame is to the zoomed one: "in" it, "under" it, or "out" of sight. */
	function place(frame) {
		var end = frame.left + frame.width, zoomed_end = zoomed.left + zoomed.width;

		if (frame.depth >= zoomed.depth)
			return frame.left >= zoomed.left && end <= zoomed_end ? "in" : "out";
		return frame.left <= zoomed.left && end >= zoomed_end ? "under" : "out";
	}

	function draw() {
		var total = pixels();

		graph.setAttribute("width", total);
		frames.forEach(function (frame) {
			var inside, left, share;

			frame.state = place(frame);
			frame.group.setAttribute("class", "f " + frame.state);
			if (frame.state === "out")
				return;
			inside = frame.state === "in";
			left = inside ? (frame.left - zoomed.left) / zoomed.width : 0;
			share = inside ? frame.width / zoomed.width : 1;
			frame.rect.setAttribute("x", 100 * left + "%");
			frame.rect.setAttribute("width", 100 * share + "%");
			frame.text.setAttribute("x", 100 * left + "%");
			frame.text.textContent = label(frame, share, total);
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
			var hit = pattern && frame.depth > 0 && frame.state !== "out" &&
				pattern.test(frame.name);

			frame.rect.setAttribute("fill", hit ? "rgb(230,0,230)" : frame.fill);
			if (hit && frame.state === "in")
				found.push(frame);
		});
		matched.textContent = pattern ?
			"Matched: " + (100 * covered(found) / zoomed.width).toFixed(1) + "%" : "";
		search.textContent = pattern ? "Reset search" : "Search";
	}

	function zoom(frame) {
		zoomed = frame;
		draw();
		mark();
	}

	function find(text) {
		try {
			pattern = text ? new RegExp(text) : null;
			mark();
		} catch (error) {
			details.textContent = "Search: " + error.message;
		}
	}

	function ask() {
		var text = window.prompt("Search for a function (regular expression)", "");

		if (text !== null)
			find(text);
	}

	function key(event) {
		if (event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key === "f")) {
			event.preventDefault();
			ask();
		} else if (event.key === "Escape") {
			find("");
		}
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
		frames.forEach(function (frame) {
			frame.group.addEventListener("click", function () {
				zoom(frame);
			});
			frame.group.addEventListener("mouseover", function () {
				details.textContent = frame.title;
			});
			frame.group.addEventListener("mouseout", function () {
				details.textContent = "";
			});
		});
		reset.addEventListener("click", function () {
			zoom(frames[0]);
		});
		search.addEventListener("click", function () {
			if (pattern)
				find("");
			else
				ask();
		});
		window.addEventListener("keydown", key);
		window.addEventListener("resize", draw);
		zoom(frames[0]);
	}

	start();
})();
