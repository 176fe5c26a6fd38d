"""visit.py CHROMIUM CHECK PAGE...: opens each page and does what the check says; fails with what it found."""

import json
import re
import statistics
import sys

from playwright.sync_api import sync_playwright

chromium, check, *page_files = sys.argv[1:]
URL = ""


def opened(browser, **options):
    """The page, with everything that must not happen written down."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True, **options)
    page = context.new_page()
    wrong = []
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("request", lambda request: None if request.url in (URL, "data:,") or request.url.startswith(("blob:file", URL + "#"))
            else wrong.append(f"request: {request.url}"))
    page.goto(URL)
    if options.get("java_script_enabled", True):
        page.wait_for_selector("html[data-ready]")
    return page, wrong


def on_a_line(page, picture=0):
    """A point of the window on a line of a picture, and the names of both ends of its cable."""
    return page.evaluate(
        """k => {
            const all = JSON.parse(document.getElementById('data').textContent);
            const d = Object.values(all).find(v => v.kind === 'fabric');
            const svg = document.querySelectorAll('svg.net')[k], m = svg.getScreenCTM();
            const i = 5 * 3, [x0, y0, x1, y1, c] = d.lines.slice(i, i + 5);
            // Not in the middle, where lines cross.
            const at = t => [m.a * (x0 + t * (x1 - x0)) + m.e, m.d * (y0 + t * (y1 - y0)) + m.f];
            return { at: at(0.87), names: [d.names[d.cables[5 * c]], d.names[d.cables[5 * c + 2]]] };
        }""", picture)


def names(browser):
    page, wrong = opened(browser)
    picture = page.locator("svg.net").first
    picture.scroll_into_view_if_needed()
    found = on_a_line(page)
    page.mouse.move(*found["at"])
    tip = page.locator("#tip").inner_text()
    assert all(name in tip for name in found["names"]), (tip, found)
    assert "of the busiest" in tip and "default:" in tip and "congestion-search:" in tip, tip
    page.mouse.click(*found["at"])
    panel = page.locator("#about").inner_text()
    assert all(name in panel for name in found["names"]), panel
    assert re.search(r"\d+ -> \d+: [\d.]+ [kMG]?B", panel), panel
    # A switch has its links, and a link leads back to its tasks.
    page.locator("#about button", has_text=found["names"][1]).last.click()
    assert "Its links" in page.locator("#about").inner_text()
    page.locator("#about li button").first.click()
    assert page.locator("#about h3").inner_text() == "Link"
    page.keyboard.press("Escape")
    assert page.locator("#about").is_hidden()
    # Zoom by wheel, keys and buttons; both pictures together.
    whole = picture.get_attribute("viewBox")
    # The pointer is where the panel was, which need not be above a picture.
    picture.hover()
    page.mouse.wheel(0, -300)
    page.wait_for_function("w => document.querySelector('svg.net').getAttribute('viewBox') !== w", arg=whole)
    assert page.locator("svg.net").nth(1).get_attribute("viewBox") == picture.get_attribute("viewBox")
    picture.focus()
    page.keyboard.press("0")
    assert [float(v) for v in picture.get_attribute("viewBox").split()] == [float(v) for v in whole.split()]
    page.keyboard.press("+")
    assert picture.get_attribute("viewBox") != whole
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    hottest = page.locator("#about").inner_text()
    assert page.locator("svg.net .picked").count() >= 2 and "Link" in hottest, hottest
    page.keyboard.press("Escape")
    # Heat maps become canvases that name what is under the pointer.
    canvas = page.locator("figure.map").last
    canvas.scroll_into_view_if_needed()
    page.wait_for_selector("figure.map canvas")
    canvas = page.locator("figure.map canvas").last
    canvas.scroll_into_view_if_needed()
    canvas.hover(position={"x": 30, "y": 30})
    tip = page.locator("#tip").inner_text()
    assert "sender task" in tip and "receiver task" in tip, tip
    before = canvas.evaluate("c => c.toDataURL()")
    canvas.focus()
    page.keyboard.press("+")
    assert canvas.evaluate("c => c.toDataURL()") != before, "the map did not zoom"
    # The table of the hottest links: sorted, filtered, saved.
    section = page.locator("section", has=page.get_by_role("heading", name="Hottest links"))
    section.scroll_into_view_if_needed()
    column = section.locator("tbody tr td:nth-child(6)")
    section.locator("th button", has_text="load under default").click()
    values = [float(v) for v in column.evaluate_all("all => all.map(c => c.dataset.v)")]
    assert values == sorted(values, reverse=True) and values[0] > values[-1], values[:5]
    section.locator("input").fill("spine01")
    seen = section.locator("tbody tr:visible")
    assert 0 < seen.count() < len(values) and "spine01" in seen.first.inner_text()
    with page.expect_download() as saved:
        section.locator("button", has_text="Save as CSV").click()
    text = open(saved.value.path(), newline="").read()
    assert text.startswith("link,class,load,") and text.count("\r\n") == len(values) + 1, text[:200]
    assert not wrong, wrong


def plain(browser):
    page, wrong = opened(browser, java_script_enabled=False)
    for selector in ["svg.net .link", "svg.heat path", "svg.chart .curve", "table tbody tr"]:
        assert page.locator(selector).count() > 0, selector
    assert page.locator("canvas").count() == 0
    assert not wrong, wrong


def time_line(browser):
    """A bin of a time line says whose it is, when, and how busy."""
    page, wrong = opened(browser)
    for k, row in enumerate(["dim0", "rank 0"]):
        svg = page.locator("svg.time").nth(k)
        svg.scroll_into_view_if_needed()
        width = svg.evaluate("e => e.getBoundingClientRect().width")
        svg.hover(position={"x": 0.5 * width, "y": 12 * width / 720})
        tip = page.locator("#tip").inner_text()
        assert tip.startswith(row) and re.search(r"\d+ % busy from [\d.]+ [mun]?s", tip), tip
    assert not wrong, wrong


def curves(browser):
    """Curves by uPlot say their values, zoom, hide and show, by pointer and by keys; on paper the SVG is back."""
    page, wrong = opened(browser)
    section = page.locator("section:has(script.curves)", has_text="Throughput against offered load")
    section.evaluate("e => e.scrollIntoView()")
    svg, plot = section.locator("svg.chart"), section.locator(".plot")
    plot.locator("canvas").wait_for()
    plot.evaluate("e => e.scrollIntoView()")
    assert svg.is_hidden() and plot.is_visible()
    drawn = lambda: plot.locator("canvas").evaluate("c => c.toDataURL()")
    tip = page.locator("#tip")
    whole, over, buttons = drawn(), plot.locator(".u-over"), plot.locator(".legend button")
    names, show_all = buttons.all_inner_texts(), plot.get_by_role("button", name="Show all")
    over.hover()
    said = tip.inner_text()
    assert any(re.search(re.escape(name) + r": [\d.]+", said) for name in names), (said, names)
    # Every dot is named beside its value, with its band.
    box = over.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 5)
    ends = tip.inner_text()
    assert ends != said and re.search(r"[\d.]+ \([\d.]+ to [\d.]+\)", ends), ends
    # Zoom by dragging; twice for all.
    assert show_all.is_hidden()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.2 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.9 * box["height"], steps=4)
    page.mouse.up()
    show_all.wait_for()
    assert drawn() != whole
    over.dblclick()
    show_all.wait_for(state="hidden")
    page.mouse.move(0, 0)
    page.wait_for_function("() => document.getElementById('tip').hidden")
    assert drawn() == whole
    # A curve goes and comes back.
    buttons.first.click()
    assert buttons.first.get_attribute("aria-pressed") == "false"
    page.wait_for_function("([c, old]) => c.toDataURL() !== old", arg=[plot.locator("canvas").element_handle(), whole])
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 5)
    assert names[0] + ":" not in tip.inner_text(), tip.inner_text()
    buttons.first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("([c, old]) => c.toDataURL() === old", arg=[plot.locator("canvas").element_handle(), whole])
    # From point to point, and closer.
    place = plot.locator(".canvas")
    place.focus()
    page.keyboard.press("Home")
    first = tip.inner_text()
    page.keyboard.press("ArrowRight")
    assert tip.inner_text() not in ("", first), first
    page.keyboard.press("ArrowLeft")
    assert tip.inner_text() == first, (tip.inner_text(), first)
    page.keyboard.press("+")
    show_all.wait_for()
    page.keyboard.press("0")
    show_all.wait_for(state="hidden")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("([c, old]) => c.toDataURL() !== old", arg=[plot.locator("canvas").element_handle(), whole])
    page.emulate_media(media="print")
    assert svg.is_visible() and plot.is_hidden()
    assert not wrong, wrong


def narrow(browser):
    """What a telephone shows."""
    widths(browser, {"light": [420]})


def widths(browser, shown={"light": [420, 1280], "dark": [1280]}):
    for scheme, all_widths in shown.items():
        page, wrong = opened(browser, color_scheme=scheme)
        # Colours take no room.
        for width in all_widths:
            page.set_viewport_size({"width": width, "height": 900})
            # Parts further down are laid out when they come into sight.
            page.evaluate(
                """async () => {
                    for (const section of document.querySelectorAll('section')) {
                        section.scrollIntoView();
                        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
                    }
                }""")
            # Every curve is drawn, also where an axis has no room for all of its values.
            drawn = page.locator("section:has(script.curves)")
            for k in range(drawn.count()):
                drawn.nth(k).scroll_into_view_if_needed()
                drawn.nth(k).locator(".plot canvas").first.wait_for(state="attached")
            plots, curves = page.locator(".plot canvas").count(), page.locator("script.curves").count()
            assert plots == curves, f"{plots} of {curves} charts are drawn at {width}, {scheme}: {wrong}"
            if page.locator("svg.net").count():
                page.locator("svg.net").first.focus()
                page.keyboard.press("Enter")
                page.keyboard.press("Escape")
            assert all(page.locator("th").evaluate_all("all => all.map(h => h.textContent)")), "a column has no name"
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{wide} wide at {width}, {scheme}"
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (light == "rgb(255, 255, 255)") == (scheme == "light"), light
        assert not wrong, wrong
    print("\n".join(page.locator("h2").all_text_contents()))
    print(page.locator("svg.net").count(), "fabrics")


def paper(browser):
    """In print heads stand above every page of a table, nothing is closed, commands are whole, and long tables are cut."""
    page, wrong = opened(browser)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details").count() > 0 and page.locator("details:not([open])").count() == 0
    displays = page.locator("th button").evaluate_all("all => all.map(e => getComputedStyle(e).display)")
    assert displays and set(displays) == {"contents"}, displays
    # What scrolls on a screen is cut on paper.
    cut = page.locator("pre, .scroll").evaluate_all("all => all.filter(e => getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1).length")
    assert cut == 0, cut
    rows = page.locator(".abridged tbody tr")
    assert rows.count() > 30 and page.locator(".abridged tbody tr:visible").count() == 30
    assert page.locator(".on-paper").inner_text() == f"On paper: 30 of {rows.count()} rows."
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator("details[open]").count() == 0 and page.locator(".on-paper").is_hidden()
    assert not wrong, wrong


def logarithmic(browser):
    """A chart whose logarithmic axis goes over two decades keeps its labels where it is low, and is drawn at all."""
    text = open(page_file).read()
    tag = '<script type="application/json" class="curves">'
    before, rest = text.split(tag, 1)
    data, after = rest.split("</script>", 1)
    chart = json.loads(data)
    chart["y"].update(log=True, low=2, high=200, unit="", names=[])
    chart["levels"] = []
    for curve in chart["curves"]:
        curve["y"] = [2 + 198 * k / max(1, len(curve["y"]) - 1) for k in range(len(curve["y"]))]
    with open(page_file, "w") as file:
        file.write(before + tag + json.dumps(chart) + "</script>" + after)
    page, wrong = opened(browser)
    for width in [320, 420, 500, 1280]:
        page.set_viewport_size({"width": width, "height": 900})
        section = page.locator("section:has(script.curves)").first
        section.scroll_into_view_if_needed()
        section.locator(".plot canvas").first.wait_for(timeout=10000)
        page.wait_for_timeout(100)
    assert not wrong, wrong


def marked(browser):
    """A marked cable says its ends and why it is marked, to the pointer, a click and the keyboard."""
    page, wrong = opened(browser)
    found = page.evaluate(
        """() => {
            const all = JSON.parse(document.getElementById('data').textContent);
            const [id, d] = Object.entries(all).find(e => e[1].marked);
            const section = document.getElementById(id), svg = section.querySelector('svg.net');
            svg.scrollIntoView();
            const cable = Object.keys(d.marked.links).sort((a, b) => d.marked.links[b][0] - d.marked.links[a][0])[0];
            let i = 0;
            while (d.lines[i + 4] !== +cable) i += 5;
            const m = svg.getScreenCTM(), [x0, y0, x1, y1] = d.lines.slice(i, i + 4);
            const at = t => [m.a * (x0 + t * (x1 - x0)) + m.e, m.d * (y0 + t * (y1 - y0)) + m.f];
            return { id, at: at(0.6), words: d.marked.links[cable][1], names: [d.names[d.cables[5 * cable]], d.names[d.cables[5 * cable + 2]]] };
        }""")
    page.mouse.move(*found["at"])
    tip = page.locator("#tip").inner_text()
    assert all(word in tip for word in [found["words"], *found["names"]]), (tip, found)
    page.mouse.click(*found["at"])
    panel = page.locator("#about").inner_text()
    assert found["words"] in panel and found["names"][0] in panel, panel
    page.keyboard.press("Escape")
    page.locator(f"#{found['id']} svg.net").focus()
    page.keyboard.press("Enter")
    assert page.locator("#about h3").inner_text() == "Link"
    assert not wrong, wrong


def inert(browser):
    page, wrong = opened(browser)
    page.locator("svg.net").first.scroll_into_view_if_needed()
    for k in range(page.locator("section").count()):
        page.locator("section").nth(k).scroll_into_view_if_needed()
    page.locator("svg.net").first.focus()
    for _ in range(40):
        page.keyboard.press("Enter")
    # What is clicked is named as it is.
    evil = page.evaluate(
        """() => {
            const d = Object.values(JSON.parse(document.getElementById('data').textContent)).find(v => v.kind === 'fabric');
            const svg = document.querySelector('svg.net');
            svg.scrollIntoView({ block: 'center' });
            const m = svg.getScreenCTM(), all = [];
            for (let i = 0; i < d.marks.length; i += 4) {
                const [x, y, , v] = d.marks.slice(i, i + 4);
                if (d.names[v].includes('<')) all.push([d.names[v], m.a * x + m.e, m.d * y + m.f]);
            }
            return all;
        }""")
    assert evil, "no name of this fabric has a tag"
    for name, x, y in evil:
        page.keyboard.press("Escape")
        page.mouse.move(x, y)
        assert page.locator("#tip").text_content().startswith(name), (name, page.locator("#tip").text_content())
        page.mouse.click(x, y)
        assert page.locator("#about h3").text_content() == name
    assert page.evaluate("window.evil") is None
    assert page.locator("img").count() == 0
    assert not wrong, wrong


# When the first picture of a fabric is painted, which words do not wait for.
FABRIC = """document.addEventListener('animationend', () => requestAnimationFrame(() => setTimeout(() => { window.fabricAt ??= performance.now(); })), true)"""


def paints(browser, url):
    """When words and the fabric of a page are painted, in ms; none for what is not there."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.add_init_script(FABRIC)
    page.goto(url)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    words = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    fabric = None
    if page.locator("svg.net").count():
        page.wait_for_function("window.fabricAt")
        fabric = page.evaluate("window.fabricAt")
    page.context.close()
    return words, fabric


def told(name, values):
    if None not in values:
        print(name, round(statistics.median(values), 1))


def paint(browser):
    """A page's paints beside those of a page of one word, in turn: a busy machine is slow for both."""
    word = page_file + ".word.html"
    with open(word, "w") as file:
        file.write("<!DOCTYPE html><html data-ready><title>a word</title><p>word</html>")
    both = [(paints(browser, "file://" + word), paints(browser, URL)) for _ in range(7)]
    told("one word ms", [word[0] for word, _ in both])
    told("first paint ms", [own[0] for _, own in both])
    told("more than a word ms", [own[0] - word[0] for word, own in both])
    told("fabric ms", [own[1] for _, own in both])


def times(browser):
    paint(browser)
    maps = {512: [], 2048: []}
    for _ in range(5):
        page, wrong = opened(browser)
        for size in maps:
            maps[size].append(page.evaluate(
                """n => {
                    const figure = document.createElement('figure');
                    figure.style.width = '800px';
                    document.body.prepend(figure);
                    const cells = [];
                    for (let i = 0; i < n * n; i++) cells.push(0, 1, 1 + (i * 7919) % 997);
                    const draw = window.hopline.heat(figure, { size: n, merged: 1, cells, names: [], down: '', across: '', title: '' });
                    const start = performance.now();
                    draw();
                    figure.querySelector('canvas').getContext('2d').getImageData(0, 0, 1, 1);
                    return performance.now() - start;
                }""", size))
        assert not wrong, wrong
        page.context.close()
    for size, all_times in maps.items():
        told(f"heat {size} ms", all_times)


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    try:
        for page_file in page_files:
            URL = "file://" + page_file
            globals()[check](browser)
            for context in browser.contexts:
                context.close()
    finally:
        browser.close()
