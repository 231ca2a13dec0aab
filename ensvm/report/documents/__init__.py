"""Documents of reports, one module for each content, for the renderers in `ensvm.report.render`."""
